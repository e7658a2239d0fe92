import { closest } from '../contract/closest.ts'
import {
  delayKey,
  type FaultCondition,
  type FaultRule,
  FaultsBody,
  HTTP_FAULT_TYPES,
  type HttpFaultType,
  WEBHOOK_FAULT_TYPES,
  type WebhookFaultType,
} from '../contract/control/faults.ts'
import { parseDuration } from '../contract/durations.ts'
import type { FieldProblem } from '../contract/errors.ts'
import { EVENT_NAMES } from '../contract/event-names.ts'
import { later, parseTimestamp, shownAt } from '../contract/timestamps.ts'
import { validator } from '../contract/validation.ts'
import type { MatchLimits } from './match-limits.ts'

/** When a fault can happen, in the account's time: `from` is inclusive, `until` is exclusive. */
export interface FaultWindow {
  readonly from: number | null
  readonly until: number | null
}

/** A compiled fault. */
export interface HttpFault extends MatchLimits {
  /** The same object for a fault that continues an earlier one. */
  readonly lineage: object
  readonly window: FaultWindow
  readonly on: string
  /** What must be true of the payment or payout that a call is about; null if it may be about anything. */
  readonly match: FaultCondition | null
  readonly type: HttpFaultType
  readonly afterCommit: boolean
  readonly delay: Spread
  readonly status: number
  readonly body: unknown
  readonly retryAfterMs: number | null
  /** With type hold. */
  readonly holdMs: number
  readonly name: string | null
  /** With type rate. */
  readonly rate: { readonly limit: number; readonly per: string; readonly perMs: number } | null
}

export interface WebhookFault extends MatchLimits {
  readonly window: FaultWindow
  readonly type: WebhookFaultType
  readonly eventTypes: readonly string[] | null
  readonly delayMs: number
  /** With type hold. */
  readonly holdMs: number
}

/** A delay: constant, uniform between two values, or lognormal. */
type Spread =
  | { readonly fixedMs: number }
  | { readonly minMs: number; readonly maxMs: number }
  | { readonly p50Ms: number; readonly p99Ms: number }

export interface FaultPlan {
  /** When each fault was set. */
  readonly setAt: readonly number[]
  readonly data: readonly FaultRule[]
  /** In the order of the given faults. */
  readonly lineages: readonly object[]
  readonly windows: readonly FaultWindow[]
  readonly http: readonly HttpFault[]
  readonly webhook: readonly WebhookFault[]
}

export const NO_FAULTS: FaultPlan = { setAt: [], data: [], lineages: [], windows: [], http: [], webhook: [] }

/** A window that has only a length starts when its fault is set. */
export function compileFaults(
  data: readonly FaultRule[],
  setAt: readonly number[],
  lineages: readonly object[] = data.map(() => ({})),
): FaultPlan {
  const windows = data.map((fault, at) => windowOf(fault, setAt[at] ?? 0))
  const plan = { http: [] as HttpFault[], webhook: [] as WebhookFault[] }
  data.forEach((fault, at) => {
    const window = windows[at] ?? ALWAYS
    if (fault.on === 'webhook') plan.webhook.push(webhookFault(fault, window))
    else plan.http.push(httpFault(fault, window, lineages[at] ?? {}))
  })
  return { setAt, data, lineages, windows, ...plan }
}

const ALWAYS: FaultWindow = { from: null, until: null }

/**
 * Replaces faults. A fault that continues another one keeps its counts; it also keeps its window, unless that is over
 * or the fault is switched on by this.
 */
export function replaceFaults(
  before: FaultPlan,
  data: readonly FaultRule[],
  continued: readonly (number | null)[] | undefined,
  at: number,
): FaultPlan {
  const lineages: object[] = []
  const setAt = data.map((_, nth) => {
    const was = continued?.[nth] ?? null
    lineages.push((was === null ? undefined : before.lineages[was]) ?? {})
    return (was === null ? undefined : startOf(before, was, at)) ?? at
  })
  return compileFaults(data, setAt, lineages)
}

/** When a fault was set that still goes on. */
function startOf({ data, windows, setAt }: FaultPlan, nth: number, at: number): number | undefined {
  const until = windows[nth]?.until ?? null
  return data[nth]?.off !== true && (until === null || at < until) ? setAt[nth] : undefined
}

/** The same for the faults of webhooks, which are counted by their place among themselves. */
export function continuedWebhookFaults(
  before: readonly FaultRule[],
  after: readonly FaultRule[],
  continued: readonly (number | null)[] = [],
): (number | null)[] {
  const places = placesOfWebhookFaults(before)
  return placesOfWebhookFaults(after).map(at => {
    const was = places.indexOf(continued[at] ?? -1)
    return was === -1 ? null : was
  })
}

const placesOfWebhookFaults = (data: readonly FaultRule[]) =>
  data.flatMap(({ on }, at) => (on === 'webhook' ? [at] : []))

export const isInEffect = ({ from, until }: FaultWindow, at: number): boolean =>
  (from === null || from <= at) && (until === null || at < until)

function windowOf({ type, from, until, for: given }: FaultRule, setAt: number): FaultWindow {
  const start = instantOf(from)
  // How long something is held is another matter.
  const length = type === 'hold' ? undefined : given
  const end = instantOf(until)
  const lengthMs = length === undefined ? undefined : parseDuration(length)
  const begins = start ?? (lengthMs === undefined ? null : setAt)
  return { from: begins, until: lengthMs === undefined ? (end ?? null) : later(begins ?? setAt, lengthMs) }
}

const STANDARD_HOLD_MS = 60_000
const LONGEST_HOLD_MS = 24 * 60 * 60_000

const holdOf = ({ for: length }: FaultRule) =>
  Math.min(LONGEST_HOLD_MS, (length === undefined ? undefined : parseDuration(length)) ?? STANDARD_HOLD_MS)

/** A time near the first or the last year that can be shown may be outside these years because of its offset. */
function instantOf(text: string | undefined): number | undefined {
  const at = text === undefined ? undefined : parseTimestamp(text)
  return at === undefined ? undefined : shownAt(at)
}

const matchLimits = ({ off, nth, times, probability }: FaultRule): MatchLimits => ({
  off: off === true,
  nth: nth ?? null,
  skipNth: null,
  times: times ?? null,
  probability: probability ?? null,
})

function httpFault(data: FaultRule, window: FaultWindow, lineage: object): HttpFault {
  return {
    ...matchLimits(data),
    lineage,
    window,
    on: operationName(data.on),
    match: data.match ?? null,
    type: data.type as HttpFaultType,
    afterCommit: data.when === 'after_commit',
    delay: spread(data.delay ?? '1s'),
    status: data.status ?? 500,
    body: data.body,
    retryAfterMs: data.retry_after === undefined ? null : (parseDuration(data.retry_after) ?? null),
    holdMs: holdOf(data),
    name: data.name ?? null,
    rate:
      data.limit === undefined || data.per === undefined
        ? null
        : { limit: data.limit, per: data.per, perMs: parseDuration(data.per) ?? 0 },
  }
}

/**
 * The default delay of a delayed event, and the longest time that a reordered event waits for the next one.
 */
const STANDARD_WEBHOOK_DELAY = '1h'

function webhookFault(data: FaultRule, window: FaultWindow): WebhookFault {
  const delay = typeof data.delay === 'string' ? data.delay : STANDARD_WEBHOOK_DELAY
  return {
    ...matchLimits(data),
    window,
    type: data.type as WebhookFaultType,
    eventTypes: data.match?.type === undefined ? null : [data.match.type].flat(),
    delayMs: parseDuration(delay) ?? 0,
    holdMs: holdOf(data),
  }
}

/** `{id}` and `:id` are the same parameter. */
const operationName = (on: string) => on.replace(/\{([a-z]+)\}/g, ':$1').replace(/\s+/, ' ')

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

const check = validator(FaultsBody)

/**
 * Reads `{faults: […]}` for the operations of the server. Each problem has its place and, if possible, a suggestion.
 */
export function readFaults(
  data: unknown,
  operations: readonly string[],
): { data: readonly FaultRule[] } | { problems: readonly FieldProblem[] } {
  const malformed = check(data)
  if (malformed.length > 0) return { problems: malformed }
  const { faults } = data as { faults: FaultRule[] }
  const wrong = faults.flatMap((fault, at) => contradictionsIn(fault, at, operations))
  return wrong.length > 0 ? { problems: wrong } : { data: faults }
}

/** Whether an operation creates one record, or names one in its path. */
const isAboutOne = (operation: string) => operation.startsWith('POST ') || operation.includes('/:id')

function contradictionsIn(fault: FaultRule, at: number, operations: readonly string[]): FieldProblem[] {
  const problems: FieldProblem[] = []
  const say = (field: string, message: string) => problems.push({ field: `faults.${at}.${field}`, message })
  const forWebhooks = fault.on === 'webhook'
  const types: readonly string[] = forWebhooks ? WEBHOOK_FAULT_TYPES : HTTP_FAULT_TYPES
  if (!types.includes(fault.type))
    say('type', `must be one of ${types.join(', ')} on ${forWebhooks ? 'a webhook' : 'a call'}`)
  const on = operationName(fault.on)
  if (!forWebhooks && on !== '*' && !operations.includes(on)) {
    const meant = closest(on, operations)
    say('on', `is not an operation${meant ? `; did you mean ${meant}?` : ''}`)
  }
  const holds = fault.type === 'hold'
  if (holds && (parseDuration(fault.for ?? '') ?? 0) > LONGEST_HOLD_MS)
    say('for', 'must be at most 24h with type hold')
  if (fault.for !== undefined && fault.until !== undefined && !holds)
    say('until', 'cannot be combined with for: give only one of the two')
  else if (fault.for !== undefined && parseDuration(fault.for) === 0) say('for', 'must be above 0')
  else if (fault.from !== undefined && fault.until !== undefined) {
    const { from, until } = windowOf(fault, 0)
    if (from !== null && until !== null && until <= from)
      say('until', `must be after from, which is ${fault.from}`)
  }
  const { delay, type, match = {} } = fault
  if (forWebhooks) {
    for (const key of Object.keys(match)) if (key !== 'type') say(`match.${key}`, 'is only for calls')
  } else {
    if (match.type !== undefined) say('match.type', 'is only for webhooks')
    if (fault.match && operations.includes(on) && !isAboutOne(on))
      say('match', `is not possible on ${on}, which is not about one payment or payout`)
  }
  for (const name of forWebhooks ? [match.type ?? []].flat() : []) {
    if (EVENT_NAMES.some(event => event === name)) continue
    const meant = closest(name, EVENT_NAMES)
    say('match.type', `is not an event: ${name}${meant ? `; did you mean ${meant}?` : ''}`)
  }
  if (fault.when && forWebhooks) say('when', 'is only for calls')
  if (fault.status !== undefined && type !== 'status') say('status', 'is only for type status')
  if (type === 'status' && fault.status === undefined) say('status', 'is required with type status')
  if (fault.body !== undefined && type !== 'status') say('body', 'is only for type status')
  if (fault.retry_after !== undefined && type !== 'status') say('retry_after', 'is only for type status')
  for (const key of ['limit', 'per'] as const) {
    if (type === 'rate' && fault[key] === undefined) say(key, 'is required with type rate')
    if (type !== 'rate' && fault[key] !== undefined) say(key, 'is only for type rate')
  }
  if (fault.per !== undefined && parseDuration(fault.per) === 0) say('per', 'must be above 0')
  if (type === 'rate' && fault.when === 'after_commit')
    say('when', 'must be before with type rate: what is over the limit is not carried out')
  if (delay === undefined && delayKey(type) === 'required') say('delay', `is required with type ${type}`)
  if (delay !== undefined && delayKey(type) === 'none') say('delay', `is not allowed with type ${type}`)
  if (typeof delay === 'object') {
    if (forWebhooks) say('delay', 'must be one duration on a webhook')
    const [low = '', high = ''] = Object.values(delay)
    if ((parseDuration(low) ?? 0) > (parseDuration(high) ?? 0))
      say('delay', `must not decrease from ${low} to ${high}`)
    if ('p50' in delay && parseDuration(delay.p50) === 0) say('delay.p50', 'must be above 0')
  }
  return problems
}
