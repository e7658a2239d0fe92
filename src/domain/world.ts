import type { Catalogue } from './catalogue.ts'
import type { ClockSetting } from './commands.ts'
import type { KeptRefusal } from './events.ts'
import { type FaultPlan, NO_FAULTS } from './faults/fault.ts'
import { ListIndex, ValueIndex } from './list-index.ts'
import type { Count } from './match-limits.ts'
import type {
  Asset,
  Delivery,
  Payment,
  Payout,
  ProviderCall,
  WebhookEndpoint,
  WebhookEvent,
} from './model.ts'
import type { Rule } from './rules/rule.ts'
import { Timers } from './timers.ts'

/** The stored answer of an idempotency key: the record as it was then, or the refusal. */
export interface KeptAnswer {
  readonly fingerprint: string
  readonly at: number
  readonly answer: { readonly payment: Payment } | KeptRefusal
  readonly seq: number
}

/** An account's state, read-only for everything except `apply`. */
export interface World {
  readonly seq: number
  /**
   * The number of entries without the courier's. Ids derive from it, so that the timing of receivers does not change
   * them.
   */
  readonly moves: number
  /** The time of the last entry. */
  readonly at: number
  readonly payments: ReadonlyMap<string, Payment>
  readonly payouts: ReadonlyMap<string, Payout>
  readonly assets: ReadonlyMap<string, Asset>
  readonly kept: ReadonlyMap<string, KeptAnswer>
  readonly endpoints: ReadonlyMap<string, WebhookEndpoint>
  readonly events: ReadonlyMap<string, WebhookEvent>
  readonly deliveries: ReadonlyMap<string, Delivery>
  readonly providerCalls: readonly ProviderCall[]
  readonly paymentList: Pick<ListIndex, 'below' | 'count'>
  readonly payoutList: Pick<ListIndex, 'below' | 'count'>
  readonly payoutsByReference: Pick<ValueIndex, 'below'>
  readonly timers: Pick<Timers, 'size' | 'next' | 'get' | 'list'>
  /** The account's own catalogue; null for the server's. */
  readonly catalogue: Catalogue | null
  /** The account's own rules; null for the standard ones. */
  readonly rules: readonly Rule[] | null
  /** By index in the rules in force. */
  readonly ruleCounts: ReadonlyMap<number, Count>
  readonly faults: FaultPlan
  /** For webhook faults, by index; the server counts calls. */
  readonly faultCounts: ReadonlyMap<number, Count>
  /** By endpoint, the delivery that waits for another to overtake it. */
  readonly heldDeliveries: ReadonlyMap<string, string>
  /** Providers whose health was set by hand, which overrides the catalogue. */
  readonly health: ReadonlyMap<string, boolean>
  readonly clock: ClockSetting | null
}

/** The same state, writable for `apply`. */
export class MutableWorld implements World {
  seq = 0
  moves = 0
  at = 0
  readonly payments = new Map<string, Payment>()
  readonly payouts = new Map<string, Payout>()
  readonly assets = new Map<string, Asset>()
  readonly kept = new Map<string, KeptAnswer>()
  readonly endpoints = new Map<string, WebhookEndpoint>()
  readonly events = new Map<string, WebhookEvent>()
  readonly deliveries = new Map<string, Delivery>()
  readonly providerCalls: ProviderCall[] = []
  readonly paymentList = new ListIndex()
  readonly payoutList = new ListIndex()
  readonly payoutsByReference = new ValueIndex()
  readonly timers = new Timers()
  catalogue: Catalogue | null = null
  rules: readonly Rule[] | null = null
  ruleCounts = new Map<number, Count>()
  faults: FaultPlan = NO_FAULTS
  readonly faultCounts = new Map<number, Count>()
  readonly heldDeliveries = new Map<string, string>()
  readonly health = new Map<string, boolean>()
  clock: ClockSetting | null = null
}
