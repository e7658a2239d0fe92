import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { count, named, nullable, object, oneOf, timestamp, type Wire } from '../schema.ts'
import { ClockState, TimerRecord, TimerSubject } from './clock.ts'

/** A summary of an account, and the lists of the dashboard. */

/** Counts by time and kind, for a chart. */
export const Buckets = named(
  'Buckets',
  object({
    from: timestamp,
    width_ms: Type.Integer({ minimum: 1 }),
    series: Type.Record(Type.String(), Type.Array(count)),
  }),
)
export type Buckets = Wire<typeof Buckets>

const byStatus = Type.Record(Type.String(), count)
const milliseconds = nullable(Type.Number({ minimum: 0 }))

export const Overview = named(
  'Overview',
  object({
    clock: ClockState,
    needs: object({
      failing: Type.Array(
        object({
          endpoint: Type.String(),
          url: Type.String(),
          deliveries: Type.Integer({ minimum: 1, description: 'how many are tried again' }),
          last_status: nullable(Type.Integer()),
          last_error: nullable(Type.String()),
        }),
      ),
      receipts_rejected: count,
      cancelling: count,
      due_in_an_hour: count,
    }),
    feed: Type.Array(
      object({
        at: timestamp,
        id: Type.String(),
        kind: oneOf(['payment', 'payout', 'delivery']),
        name: Type.String({ description: "the merchant's reference, or the id" }),
        status: Type.String(),
        sentence: Type.String(),
      }),
      { description: 'what changed last since the server started, newest first' },
    ),
    next: Type.Array(
      object({
        due_at: timestamp,
        command: TimerRecord.properties.command,
        record: TimerSubject,
      }),
      { description: 'the next timers, and the payment or payout that each is about' },
    ),
    payments: object({ total: count, by_status: byStatus, over_time: nullable(Buckets) }),
    payouts: object({ total: count, by_status: byStatus }),
    webhooks: object({ endpoints: count, by_status: byStatus, over_time: nullable(Buckets) }),
    requests: object({
      logged: count,
      p50_ms: milliseconds,
      p95_ms: milliseconds,
      over_time: nullable(Buckets),
      p50_over_time: Type.Array(milliseconds),
      p95_over_time: Type.Array(milliseconds),
    }),
  }),
)
export type Overview = Wire<typeof Overview>

/** A list in pages; the whole list if no limit is given. */
export const page = <S extends TSchema>(record: S) =>
  object({
    data: Type.Array(record),
    has_more: Type.Boolean(),
    next_cursor: nullable(Type.String()),
  })
export type Page<Row> = {
  readonly data: readonly Row[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** A part of a list that can be scrolled to any position. */
export const listWindow = <S extends TSchema>(row: S) =>
  object({
    data: Type.Array(row),
    total: Type.Integer({ minimum: 0, description: 'how many there are below the anchor' }),
    exact: Type.Boolean({
      description: 'false if a search with `partial` did not look through all of them yet: ask again',
    }),
    newer: Type.Integer({ minimum: 0, description: 'how many were added since then' }),
    anchor: Type.String({
      description: 'the start of the list: send it with later windows, so that they do not shift',
    }),
  })
export interface ListWindow<Row> {
  readonly data: readonly Row[]
  readonly total: number
  readonly exact: boolean
  readonly newer: number
  readonly anchor: string
}
