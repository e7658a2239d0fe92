import * as Type from '@sinclair/typebox'
import { count, named, nullable, object, oneOf, openObject, timestamp, type Wire } from '../schema.ts'
import { CLOCK_MODES } from './requests.ts'

/** The clock and the timers of an account. */

export const ClockState = named(
  'ClockState',
  object({
    mode: oneOf(CLOCK_MODES),
    now: timestamp,
    rate: Type.Number({ description: 'how much faster than the wall clock a real clock runs' }),
    next_due: nullable(timestamp),
    pending_timers: count,
  }),
)
export type ClockState = Wire<typeof ClockState>

export const AdvanceResult = named(
  'AdvanceResult',
  object({
    now: timestamp,
    fired: Type.Integer({ minimum: 0, description: 'how many timers fired on the way' }),
    idle: Type.Boolean({ description: 'whether no timer is left' }),
    timed_out: Type.Optional(
      Type.Array(Type.String(), { description: 'deliveries whose receiver did not answer in time' }),
    ),
  }),
)
export type AdvanceResult = Wire<typeof AdvanceResult>

/** The command of a timer, as in the journal; it names its record. */
const command = openObject({
  type: Type.String(),
  payment: Type.Optional(Type.String()),
  payout: Type.Optional(Type.String()),
  delivery: Type.Optional(Type.String()),
  trigger: Type.Optional(Type.String()),
})
/** Naming more of them would take long where there are very many. */
export const MOST_NAMED = 200

/** The payment or payout that a timer is about, also if it sends a webhook, by the merchant's reference. */
export const TimerSubject = nullable(
  object({ id: Type.String(), name: Type.String(), amount: Type.String(), currency: Type.String() }),
)
export const TimerRecord = named(
  'TimerRecord',
  object({
    id: Type.String(),
    due_at: timestamp,
    command,
    /** In a list with a limit of at most `MOST_NAMED`. */
    record: Type.Optional(TimerSubject),
  }),
)
export type TimerRecord = Wire<typeof TimerRecord>
