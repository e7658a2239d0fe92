import type { CheckoutMode, PaymentTrigger } from '../client/control-client.ts'
import type {
  CatalogueMethod,
  CatalogueProvider,
  CatalogueRoute,
  ClockMode,
  Duration,
  FaultRule,
  ProviderRule,
} from '../client/control-script.ts'
import type { ErrorCode } from '../contract/errors.ts'

/** One step of a scenario, by the word that says what it does. docs/scenarios.md tells of each. */
export type ScenarioStep = MerchantStep | PayerStep | OperatorStep | LookStep | FlowStep

/** An object, or a reference to one, as `${order}`. */
type Given = Record<string, unknown> | string

interface Told {
  /** What to show for the step, in place of what it does. */
  note?: string
}

/** What the answer must be: a success, unless it says otherwise. */
export interface AnswerExpectation {
  status?: unknown
  error?: ErrorCode
  /** The fields that a `validation_failed` names. */
  fields?: string[]
  headers?: Record<string, unknown>
  body?: unknown
  text?: unknown
  /** The step whose answer this one repeats, byte for byte. */
  'same as'?: string
  /** No whole answer comes. */
  lost?: true
}

interface Asked extends Told {
  as?: string
  expect?: AnswerExpectation
}

interface Call extends Asked {
  keys?: 'test' | 'live' | 'wrong' | 'none'
  headers?: Record<string, string>
}

interface KeyedCall extends Call {
  /** The Idempotency-Key. */
  key?: string
}

interface Picture {
  /** Made for the step: the same name, the same bytes. */
  image?: string | { name: string; type?: 'png' | 'jpeg' | 'gif' | 'text'; bytes?: number }
  file?: string
}

interface Failure {
  failure_code?: string
  failure_message?: string
}

type MerchantStep =
  | ({ 'list methods': Given } & Call)
  | ({ 'create payment': Given } & KeyedCall)
  | ({ 'get payment': string } & Call)
  | ({ 'cancel payment': string } & KeyedCall)
  | ({ 'submit receipt': string; asset?: string; boundary?: string } & Picture & KeyedCall)
  | ({ 'list payouts': Given } & Call)
  | ({ 'cancel payout': string; reason?: string } & Call)
  | ({ request: string; query?: Given; json?: unknown; text?: string } & KeyedCall)

type PayerStep =
  | ({ 'payer opens': string } & Asked)
  | ({ 'payer chooses': string; payment: string; with?: Record<string, string> } & Asked)
  | ({ 'payer approves': string } & Asked)
  | ({ 'payer declines': string } & Asked)
  | ({ 'payer lets expire': string } & Asked)
  | ({ 'payer sends receipt': string } & Picture & Asked)

export type ScenarioClock = ClockMode | { mode: ClockMode; now?: string; rate?: number | string }

export interface ScenarioPolicy {
  checkout_modes: CheckoutMode[]
}

type Laid<Entry, Key extends keyof Entry> = Pick<Entry, Key> & Record<string, unknown>

/** Laid over the default catalogue, by id and code; new routes are tried first. `replace` is a whole one. */
export interface ScenarioCatalogue {
  providers?: Laid<CatalogueProvider, 'id'>[]
  methods?: Laid<CatalogueMethod, 'code'>[]
  routes?: Laid<CatalogueRoute, 'id'>[]
  replace?: Record<string, unknown>
}

interface ReceiverReply {
  status: number
  retry_after?: Duration
  times?: number
}

/** `up` answers 200, `down` cuts the connection; or one reply, or one after the other. */
export type ReceiverBehaviour = 'up' | 'down' | ReceiverReply | ReceiverReply[]

type OperatorStep =
  | ({ advance: Duration | { to: string } | { until: 'idle'; max?: Duration } } & Told)
  | ({ trigger: PaymentTrigger; payment: string } & Failure & Asked)
  | ({ 'create payout': Given } & Asked)
  | ({ 'approve payout': string } & Asked)
  | ({ 'succeed payout': string } & Asked)
  | ({ 'fail payout': string } & Failure & Asked)
  | ({ 'upload asset': 'payment_receipt' | 'other' } & Picture & Asked)
  | ({ redeliver: string } & Asked)
  | ({ 'set health': Record<string, boolean> } & Told)
  | ({ 'set policy': ScenarioPolicy } & Told)
  | ({ 'set catalogue': ScenarioCatalogue } & Told)
  | ({ 'set rules': ProviderRule[] } & Told)
  | ({ 'add rules': ProviderRule[] } & Told)
  | ({ 'set faults': FaultRule[] } & Told)
  | ({ 'set clock': ScenarioClock } & Told)
  | ({ receiver: ReceiverBehaviour } & Told)

interface Look extends Told {
  as?: string
}

interface ListLook extends Look {
  exactly?: unknown[]
  include?: unknown[]
  count?: unknown
  none?: unknown
  'any order'?: true
  within?: Duration
}

type LookStep =
  | ({ 'expect payment': string; is: unknown } & Look)
  | ({ 'expect receipt': string; is: unknown } & Look)
  | ({ 'expect payout': string; is: unknown } & Look)
  | ({ 'expect record': string; is: unknown } & Look)
  | ({ 'expect value': unknown; is: unknown } & Look)
  | ({ 'wait for payment': string; is: unknown; within?: Duration } & Look)
  | ({ 'expect webhooks': unknown } & ListLook)
  | ({ 'expect provider calls': unknown } & ListLook)
  | ({ 'expect history': string } & ListLook)
  | ({ 'expect deliveries': unknown } & ListLook)
  | ({ 'expect requests': unknown } & ListLook)
  | ({ 'expect timers': unknown } & ListLook)

type FlowStep =
  | ({ repeat: number; until?: { value: unknown; is: unknown }; steps: ScenarioStep[] } & Told)
  /** So many copies of `steps` at once, or these branches. */
  | ({ parallel: number | (ScenarioStep | ScenarioStep[])[]; steps?: ScenarioStep[] } & Told)
