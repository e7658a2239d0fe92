import type { FaultType } from '../contract/control/faults.ts'

/** What an account is told to do, as the control surface takes and shows it: time, rules, faults, routes. */

export type Duration = string

export type ClockMode = 'real' | 'virtual'

/** How time is to pass. `now` may not be before the account's time; `rate` is for a real clock: 60, or `60x`. */
export type ClockSetting =
  | ClockMode
  | { readonly mode: ClockMode; readonly now?: string | Date; readonly rate?: number | string }

export interface ClockState {
  readonly mode: ClockMode
  readonly now: string
  readonly rate: number
  readonly next_due: string | null
  readonly pending_timers: number
}

/** How far a virtual clock is to go: a duration, an instant, or as long as anything is due (`max` bounds it). */
export type AdvanceGoal =
  | Duration
  | { readonly by: Duration }
  | { readonly to: string | Date }
  | { readonly until: 'idle'; readonly max?: Duration }

export interface AdvanceResult {
  readonly now: string
  /** How many timers fired on the way. */
  readonly fired: number
  /** Whether nothing is left to happen. */
  readonly idle: boolean
}

type Words = string | string[]

/** What a rule looks at; `*` and `?` stand for anything and for one character where the merchant wrote the text. */
export interface RuleCondition {
  kind?: 'payment' | 'payout'
  method?: Words
  provider?: Words
  checkout_mode?: 'hosted' | 'merchant'
  environment?: 'test' | 'live'
  currency?: Words
  country?: Words
  amount?: string | { eq?: string; gt?: string; gte?: string; lt?: string; lte?: string }
  merchant_reference?: Words
  customer?: { name?: Words; phone?: Words; email?: Words }
  recipient?: { bank_code?: Words; holder_name?: Words }
  nth?: number
}

/** What the provider does with the intents that match. The first rule that matches is the one. */
export interface ProviderRule {
  name?: string
  match?: RuleCondition
  not?: RuleCondition
  times?: number
  action?: { after?: Duration; expires_after?: Duration }
  /** One for each submission; the last repeats. */
  receipt?: { after?: Duration; verdict: 'accept' | 'reject' | 'manual'; message?: string }[] | 'manual'
  cancel?:
    | { after?: Duration; outcome: 'cancelled' | 'succeeded' | 'failed' | 'expired' | 'never' }
    | 'manual'
  approval?: { after?: Duration } | 'manual'
  outcome?:
    | { after?: Duration; status: 'succeeded' | 'failed' | 'expired'; code?: string; message?: string }
    | 'manual'
  expiry?: Duration
}

export interface RulesState {
  /** Whether these are the rules that ship. */
  readonly standard: boolean
  readonly rules: readonly ProviderRule[]
  /** How often each was the one. */
  readonly used: readonly number[]
}

/** What goes wrong on the wire. `on` is an operation such as `POST /payment_intents`, `*` for all, or `webhook`. */
export interface FaultRule {
  name?: string
  on: string
  match?: { type: Words }
  nth?: number
  times?: number
  probability?: number
  /** A window of the account's time: so long from `from`, or from when the faults are set. Not with `until`. */
  for?: Duration
  /** RFC 3339, as `until`: it can happen from then on, and before the other. */
  from?: string
  until?: string
  type: FaultType
  /** `after_commit`: the work is done, the answer is lost. */
  when?: 'before' | 'after_commit'
  delay?: Duration | { min: Duration; max: Duration } | { p50: Duration; p99: Duration }
  status?: number
  body?: unknown
  retry_after?: Duration
}

export interface FaultsState {
  readonly faults: readonly FaultRule[]
  /** When each can happen, by the account's time; null for at any time. */
  readonly windows: readonly ({ readonly from: string | null; readonly until: string | null } | null)[]
  /** How often each happened. */
  readonly used: readonly number[]
}

export interface CatalogueProvider {
  id: string
  healthy?: boolean
}

export interface CatalogueMethod {
  code: string
  label: string
  category: string
  banks?: { code: string; label: string; name_th?: string }[]
}

export interface CatalogueRoute {
  id: string
  provider: string
  method: string
  local_code: string
  environments: ('test' | 'live')[]
  country: string
  currency: string
  min_amount?: string
  max_amount?: string
  checkout_modes: ('hosted' | 'merchant')[]
  action: 'redirect_to_url' | 'display_qr_code' | 'display_bank_transfer_instructions'
  action_after?: Duration
  payer?: Record<string, boolean>
  banks?: Record<string, string>
  receipt: 'required' | 'none'
  cancel_pending: boolean
}

export interface Catalogue {
  providers: CatalogueProvider[]
  methods: CatalogueMethod[]
  routes: CatalogueRoute[]
}
