import type { FaultRule, HttpFaultType, WebhookFaultType } from '../../contract/control/faults.ts'
import { parseDuration } from '../../contract/durations.ts'
import { later, parseTimestamp, shownAt } from '../../contract/timestamps.ts'
import type { MatchLimits } from '../match-limits.ts'

/** When a fault can happen, in the account's time: `from` is inclusive, `until` is exclusive. */
export interface FaultWindow {
  readonly from: number | null
  readonly until: number | null
}

/** A compiled fault. */
export interface HttpFault extends MatchLimits {
  readonly window: FaultWindow
  readonly on: string
  readonly type: HttpFaultType
  readonly afterCommit: boolean
  readonly delay: Spread
  readonly status: number
  readonly body: unknown
  readonly retryAfterMs: number | null
}

export interface WebhookFault extends MatchLimits {
  readonly window: FaultWindow
  readonly type: WebhookFaultType
  readonly eventTypes: readonly string[] | null
  readonly delayMs: number
}

/** A delay: constant, uniform between two values, or lognormal. */
export type Spread =
  | { readonly fixedMs: number }
  | { readonly minMs: number; readonly maxMs: number }
  | { readonly p50Ms: number; readonly p99Ms: number }

export interface FaultPlan {
  /** When the faults were set. */
  readonly setAt: number
  readonly data: readonly FaultRule[]
  /** In the order of the given faults. */
  readonly windows: readonly FaultWindow[]
  readonly http: readonly HttpFault[]
  readonly webhook: readonly WebhookFault[]
}

export const NO_FAULTS: FaultPlan = { setAt: 0, data: [], windows: [], http: [], webhook: [] }

/** A window that has only a length starts when the faults are set. */
export function compileFaults(data: readonly FaultRule[], setAt: number): FaultPlan {
  return {
    setAt,
    data,
    windows: data.map(fault => windowOf(fault, setAt)),
    http: data.filter(({ on }) => on !== 'webhook').map(fault => httpFault(fault, setAt)),
    webhook: data.filter(({ on }) => on === 'webhook').map(fault => webhookFault(fault, setAt)),
  }
}

export const isOpen = ({ from, until }: FaultWindow, at: number): boolean =>
  (from === null || from <= at) && (until === null || at < until)

export function windowOf({ from, until, for: length }: FaultRule, setAt: number): FaultWindow {
  const start = instantOf(from)
  const end = instantOf(until)
  const lengthMs = length === undefined ? undefined : parseDuration(length)
  const begins = start ?? (lengthMs === undefined ? null : setAt)
  return { from: begins, until: lengthMs === undefined ? (end ?? null) : later(begins ?? setAt, lengthMs) }
}

/** A time near the first or the last year that can be shown may be outside these years because of its offset. */
function instantOf(text: string | undefined): number | undefined {
  const at = text === undefined ? undefined : parseTimestamp(text)
  return at === undefined ? undefined : shownAt(at)
}

const matchLimits = ({ nth, times, probability }: FaultRule): MatchLimits => ({
  nth: nth ?? null,
  skipNth: null,
  times: times ?? null,
  probability: probability ?? null,
})

function httpFault(data: FaultRule, setAt: number): HttpFault {
  return {
    ...matchLimits(data),
    window: windowOf(data, setAt),
    on: operationName(data.on),
    type: data.type as HttpFaultType,
    afterCommit: data.when === 'after_commit',
    delay: spread(data.delay ?? '1s'),
    status: data.status ?? 500,
    body: data.body,
    retryAfterMs: data.retry_after === undefined ? null : (parseDuration(data.retry_after) ?? null),
  }
}

/**
 * The default delay of a delayed event, and the longest time that a reordered event waits for the next one.
 */
const STANDARD_WEBHOOK_DELAY = '1h'

function webhookFault(data: FaultRule, setAt: number): WebhookFault {
  const delay = typeof data.delay === 'string' ? data.delay : STANDARD_WEBHOOK_DELAY
  return {
    ...matchLimits(data),
    window: windowOf(data, setAt),
    type: data.type as WebhookFaultType,
    eventTypes: data.match ? [data.match.type].flat() : null,
    delayMs: parseDuration(delay) ?? 0,
  }
}

/** `{id}` and `:id` are the same parameter. */
export const operationName = (on: string) => on.replace(/\{([a-z]+)\}/g, ':$1').replace(/\s+/, ' ')

function spread(delay: NonNullable<FaultRule['delay']>): Spread {
  const ms = (text: string) => parseDuration(text) ?? 0
  if (typeof delay === 'string') return { fixedMs: ms(delay) }
  return 'min' in delay
    ? { minMs: ms(delay.min), maxMs: ms(delay.max) }
    : { p50Ms: ms(delay.p50), p99Ms: ms(delay.p99) }
}

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.326

/** A random duration from a distribution, computed from two random numbers in [0, 1). */
export function draw(of: Spread, chance: () => number): number {
  if ('fixedMs' in of) return of.fixedMs
  if ('minMs' in of) return Math.round(of.minMs + chance() * (of.maxMs - of.minMs))
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
  const sigma = Math.log(of.p99Ms / of.p50Ms) / Z99
  return Math.round(of.p50Ms * Math.exp(sigma * normal))
}
