import type { FaultRule } from '../contract/control/faults.ts'
import type { ProviderRule } from '../contract/control/rules.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { JOURNAL_VERSION } from '../contract/journal-version.ts'
import type { CatalogueData } from './catalogue.ts'
import type { ClockSetting, TimedCommand } from './commands.ts'
import type { WebhookFault } from './faults/fault.ts'
import type { Instrument } from './instrument/index.ts'
import type {
  Asset,
  AttemptResult,
  CheckoutMode,
  Customer,
  Failure,
  FrozenRoute,
  MethodOptions,
  Payout,
  StoredImage,
  WebhookEndpoint,
} from './model.ts'
import type { PaymentScript } from './script.ts'

/** Events, in the past tense. The journal contains nothing else. */
export type DomainEvent =
  | {
      readonly type: 'PaymentCreated'
      readonly payment: string
      readonly amount: string
      readonly currency: string
      readonly country: string
      readonly checkoutMode: CheckoutMode
      readonly merchantReference: string | null
      readonly customer: Customer
      readonly returnUrl: string | null
      readonly expiresAt: number
    }
  | {
      readonly type: 'RouteFrozen'
      readonly payment: string
      readonly route: FrozenRoute
      readonly options: MethodOptions
      /** What the payer added on the hosted page. */
      readonly customer?: Customer
      readonly instrument: Instrument
      /** Left out if no rule matched. */
      readonly script?: PaymentScript
      /** The rule as it was when it matched, for people to read. The script is its compiled form. */
      readonly rule?: ProviderRule
      readonly expiresAt: number
      readonly byPayer: boolean
    }
  | { readonly type: 'ActionPresented'; readonly payment: string; readonly expiresAt: number }
  | { readonly type: 'ActionWithdrawn'; readonly payment: string }
  | {
      readonly type: 'ReceiptSubmitted'
      readonly payment: string
      readonly digest: string
      readonly asset: string | null
    }
  | { readonly type: 'ReceiptAccepted'; readonly payment: string }
  | { readonly type: 'ReceiptRejected'; readonly payment: string; readonly message: string }
  | { readonly type: 'CancelRequested'; readonly payment: string }
  | { readonly type: 'PaymentSucceeded'; readonly payment: string }
  | { readonly type: 'PaymentFailed'; readonly payment: string; readonly failure: Failure }
  | { readonly type: 'PaymentExpired'; readonly payment: string }
  | {
      readonly type: 'PaymentCancelled'
      readonly payment: string
      readonly outcome: 'failed' | 'expired'
      readonly failure: Failure | null
    }
  | ({ readonly type: 'PayoutCreated'; readonly payout: string; readonly createdAt?: number } & Pick<
      Payout,
      'amount' | 'currency' | 'country' | 'merchantReference' | 'recipient' | 'status'
    > & { readonly script?: Payout['script']; readonly rule?: ProviderRule })
  | { readonly type: 'PayoutApproved'; readonly payout: string }
  | { readonly type: 'PayoutSucceeded'; readonly payout: string }
  | { readonly type: 'PayoutFailed'; readonly payout: string; readonly failure: Failure }
  | { readonly type: 'PayoutCancelled'; readonly payout: string; readonly reason: string | null }
  | ({ readonly type: 'AssetStored'; readonly asset: string; readonly kind: Asset['kind'] } & StoredImage)
  | {
      readonly type: 'AnswerKept'
      readonly scope: string
      readonly fingerprint: string
      readonly answer: { readonly payment: string } | KeptRefusal
    }
  | {
      readonly type: 'TimerSet'
      readonly timer: string
      readonly dueAt: number
      readonly command: TimedCommand
    }
  | { readonly type: 'TimerFired'; readonly timer: string }
  | {
      readonly type: 'EventEmitted'
      readonly event: string
      readonly name: string
      readonly subject: { readonly payment: string } | { readonly payout: string }
    }
  | {
      readonly type: 'EndpointAdded'
      readonly endpoint: string
      readonly url: string
      readonly events: readonly string[] | null
      readonly secret: string
    }
  | {
      readonly type: 'EndpointSecretsSet'
      readonly endpoint: string
      readonly secrets: WebhookEndpoint['secrets']
    }
  | { readonly type: 'EndpointDisabled'; readonly endpoint: string }
  | { readonly type: 'EndpointRemoved'; readonly endpoint: string }
  | {
      readonly type: 'DeliveryQueued'
      readonly delivery: string
      readonly event: string
      readonly endpoint: string
      /** Null if the attempt is never made. */
      readonly dueAt: number | null
      readonly fault?: WebhookFault['type']
    }
  | { readonly type: 'DeliveryMoved'; readonly delivery: string; readonly dueAt: number }
  | {
      readonly type: 'AttemptStarted'
      readonly delivery: string
      /** The body that all attempts send. Only the first attempt of an event has it; older journals do not have it. */
      readonly body?: string
    }
  | {
      readonly type: 'AttemptEnded'
      readonly delivery: string
      readonly result: AttemptResult
      /** When the next attempt is due; null ends the delivery. */
      readonly next: number | null
    }
  | { readonly type: 'FaultsReplaced'; readonly faults: readonly FaultRule[] }
  | { readonly type: 'FaultsCounted'; readonly held: readonly number[]; readonly used: number | null }
  | { readonly type: 'RulesReplaced'; readonly rules: readonly ProviderRule[] | null }
  | {
      readonly type: 'RulesPutInFront'
      readonly rules: readonly ProviderRule[]
      /** The rules that were in force, if they were the standard ones. */
      readonly standard?: readonly ProviderRule[]
    }
  | { readonly type: 'RulesConsulted'; readonly held: readonly number[]; readonly used: number | null }
  | { readonly type: 'CatalogueReplaced'; readonly catalogue: CatalogueData }
  | { readonly type: 'ProviderHealthSet'; readonly provider: string; readonly healthy: boolean }
  | { readonly type: 'ClockSet'; readonly clock: ClockSetting }

export interface KeptRefusal {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
  readonly status?: number
  readonly requestId: string
}

/** One line of the journal: all events of one decision. */
export interface Entry {
  readonly v: typeof JOURNAL_VERSION
  readonly seq: number
  readonly at: number
  readonly by: string
  readonly events: readonly DomainEvent[]
}

export type EventOf<T extends DomainEvent['type']> = Extract<DomainEvent, { type: T }>
