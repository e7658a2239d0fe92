import * as Type from '@sinclair/typebox'
import { count, digest, named, nullable, object, oneOf, timestamp, type Wire } from '../schema.ts'
import { TimerRecord } from './clock.ts'
import { WEBHOOK_FAULT_TYPES } from './faults.ts'
import { LoggedRequest } from './journal.ts'
import { PROVIDER_CALLS } from './payments.ts'
import { ProviderRule } from './rules.ts'

/** The past of one payment or payout, and what is planned for it. */

const wallTime = nullable(timestamp)

export const TimelineChange = named(
  'TimelineChange',
  object({
    seq: Type.Integer({ minimum: 1 }),
    at: timestamp,
    wall_at: wallTime,
    by: Type.String(),
    event: Type.String(),
    status: nullable(Type.String({ description: 'the status that this left the record in' })),
    detail: nullable(Type.String()),
    image: Type.Optional(digest),
  }),
)
export type TimelineChange = Wire<typeof TimelineChange>

export const TimelineAttempt = named(
  'TimelineAttempt',
  object({
    delivery: Type.String(),
    event_type: nullable(Type.String()),
    number: Type.Integer({ minimum: 1 }),
    url: Type.String(),
    at: timestamp,
    ended_at: nullable(timestamp),
    wall_at: wallTime,
    status: nullable(Type.Integer()),
    error: nullable(Type.String()),
    fault: nullable(oneOf(WEBHOOK_FAULT_TYPES)),
  }),
)
export type TimelineAttempt = Wire<typeof TimelineAttempt>

const { account: _, ignored: __, reference: ___, error: ____, ...request } = LoggedRequest.properties
export const TimelineRequest = named('TimelineRequest', object(request))
export type TimelineRequest = Wire<typeof TimelineRequest>

/** An item of the timeline, by its list and its index there. */
export const TimelinePlace = named(
  'TimelinePlace',
  object({
    list: oneOf(['changes', 'provider_calls', 'requests', 'attempts']),
    nth: count,
    at: timestamp,
    wall_at: wallTime,
  }),
)
export type TimelinePlace = Wire<typeof TimelinePlace>

/** Something that will happen to a record, or that would happen after another event. */
export const Coming = named(
  'Coming',
  object({
    kind: oneOf([
      'present-action',
      'withdraw-action',
      'receipt',
      'cancel',
      'outcome',
      'expire',
      'approve',
      'attempt',
    ]),
    due_at: nullable(timestamp),
    trigger: nullable(Type.String({ description: 'null for an attempt, and if it is not known yet' })),
    failure: nullable(object({ code: Type.Optional(Type.String()), message: Type.Optional(Type.String()) })),
    waits_for: nullable(oneOf(['method', 'action', 'receipt', 'verdict', 'approval', 'person'])),
    after_ms: nullable(
      Type.Integer({ minimum: 0, description: 'counted from the end of what it waits for' }),
    ),
    held_by: nullable(oneOf(['cancellation', 'receipt', 'replacement'])),
    attempt: nullable(
      object({
        delivery: Type.String(),
        number: Type.Integer({ minimum: 1 }),
        event_type: nullable(Type.String()),
        url: Type.String(),
      }),
    ),
  }),
)
export type Coming = Wire<typeof Coming>

export const Timeline = named(
  'Timeline',
  object({
    now: timestamp,
    rule: nullable(named('ProviderRule', ProviderRule)),
    changes: Type.Array(TimelineChange),
    provider_calls: Type.Array(object({ at: timestamp, call: oneOf(PROVIDER_CALLS) })),
    requests: Type.Array(TimelineRequest),
    attempts: Type.Array(TimelineAttempt),
    order: Type.Array(TimelinePlace, { description: 'all of them as they happened: causes before effects' }),
    timers: Type.Array(TimerRecord),
    to_come: Type.Array(Coming),
  }),
)
export type Timeline = Wire<typeof Timeline>

/** Why a record is as it is, and what would change it. */
export const Why = named(
  'Why',
  object({
    id: Type.String(),
    kind: oneOf(['payment', 'payout', 'delivery', 'request']),
    status: Type.String({ description: 'for a request, the HTTP status of its answer' }),
    sentence: Type.String(),
    because: Type.Array(
      object({
        what: Type.String(),
        id: Type.Optional(Type.String({ description: 'the record that it is about, if it is another one' })),
        at: Type.Optional(timestamp),
      }),
    ),
    next: nullable(
      object({
        at: nullable(timestamp),
        what: Type.String(),
        by: oneOf(['timer', 'payer', 'merchant', 'operator', 'courier']),
      }),
    ),
    commands: Type.Array(Type.String({ description: 'quoted for a POSIX shell' })),
  }),
)
export type Why = Wire<typeof Why>
