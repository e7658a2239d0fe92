import type { DeliveryStatus } from '../contract/statuses.ts'
import { isSuccess } from './model.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Each is a multiple of the one before, so that periods can be put together. */
const WIDTHS = [
  ...[1, 5, 10, 30].map(n => n * SECOND),
  ...[1, 5, 10, 30].map(n => n * MINUTE),
  ...[1, 3, 6, 12].map(n => n * HOUR),
  ...[1, 5, 10, 30, 90, 360].map(n => n * DAY),
]
/** More than a chart draws, so that a longer time can still be divided well. */
const MOST_PERIODS = 240

/** The attempts that began in one period. */
export interface AttemptsInPeriod {
  readonly from: number
  readonly succeeded: number
  readonly failed: number
}

/** As a checkpoint has them. */
export interface StoredWebhookCounts {
  readonly byStatus: readonly (readonly [DeliveryStatus, number])[]
  readonly widthMs: number
  readonly attempts: readonly AttemptsInPeriod[]
}

/**
 * How many deliveries there are in each state, and how many attempts were made when. They are kept as deliveries change,
 * because to count them again, each would have to be read. The width of a period follows from the first and the last one, so
 * it does not matter in which order attempts end.
 */
export class WebhookCounts {
  readonly #byStatus: Map<DeliveryStatus, number>
  readonly #attempts: Map<number, AttemptsInPeriod>
  #widthMs: number

  constructor(stored?: StoredWebhookCounts) {
    this.#byStatus = new Map(stored?.byStatus)
    this.#attempts = new Map(stored?.attempts.map(period => [period.from, period]))
    this.#widthMs = stored?.widthMs ?? SECOND
  }

  withStatus(status: DeliveryStatus): number {
    return this.#byStatus.get(status) ?? 0
  }

  get attempts(): Iterable<AttemptsInPeriod> {
    return this.#attempts.values()
  }

  get stored(): StoredWebhookCounts {
    const attempts = [...this.#attempts.values()].sort((a, b) => a.from - b.from)
    return { byStatus: [...this.#byStatus].sort(), widthMs: this.#widthMs, attempts }
  }

  /** `before` is null for a new delivery. */
  noteStatus(before: DeliveryStatus | null, after: DeliveryStatus): void {
    if (before === after) return
    const left = before && this.withStatus(before) - 1
    if (before && left) this.#byStatus.set(before, left)
    else if (before) this.#byStatus.delete(before)
    this.#byStatus.set(after, this.withStatus(after) + 1)
  }

  /** An attempt that ended. */
  noteAttempt(startedAt: number, status: number | null): void {
    const succeeded = isSuccess(status) ? 1 : 0
    const periods = this.#attempts.size
    this.#add({ from: startedAt, succeeded, failed: 1 - succeeded })
    if (this.#attempts.size === periods) return
    while (this.#span > MOST_PERIODS) this.#widen()
  }

  #add({ from: at, succeeded, failed }: AttemptsInPeriod): void {
    const from = Math.floor(at / this.#widthMs) * this.#widthMs
    const period = this.#attempts.get(from)
    this.#attempts.set(from, {
      from,
      succeeded: (period?.succeeded ?? 0) + succeeded,
      failed: (period?.failed ?? 0) + failed,
    })
  }

  get #span(): number {
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const from of this.#attempts.keys()) {
      first = Math.min(first, from)
      last = Math.max(last, from)
    }
    return (last - first) / this.#widthMs + 1
  }

  #widen(): void {
    const periods = [...this.#attempts.values()]
    this.#widthMs = WIDTHS.find(width => width > this.#widthMs) ?? this.#widthMs * 4
    this.#attempts.clear()
    for (const period of periods) this.#add(period)
  }
}
