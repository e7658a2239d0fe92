import { formatTimestamp } from '../../contract/timestamps.ts'
import type { Entry } from '../events.ts'
import type { Cause, Surroundings } from './answer.ts'

/** Who or what ended a record. */
export interface Ending {
  readonly how: EndedBy
  readonly rule: string
}
export type EndedBy =
  | 'rule'
  | 'time limit'
  | 'cancellation'
  | 'operator'
  | 'payer'
  | 'merchant'
  | 'created'
  | 'unknown'

export function endWords({ how, rule }: Ending): string {
  switch (how) {
    case 'rule':
      return `${rule} says so`
    case 'time limit':
      return 'nothing ended it within its time limit'
    case 'cancellation':
      return 'so the provider answered the cancellation that the merchant asked for'
    case 'operator':
      return 'somebody decided so on the control surface'
    case 'payer':
      return 'the payer decided so on the page'
    case 'merchant':
      return 'the merchant asked for it'
    case 'created':
      return 'it was created that way'
    case 'unknown':
      return 'the entry that says who ended it is no longer kept'
  }
}

const ENDS = new Set<string>([
  'PaymentSucceeded',
  'PaymentFailed',
  'PaymentExpired',
  'PaymentCancelled',
  'PayoutSucceeded',
  'PayoutFailed',
  'PayoutCancelled',
])

/** Who or what ended a record, and when. */
export function endedBy(
  entries: readonly Entry[],
  id: string,
): { readonly how: EndedBy; readonly at: number | null } {
  const isOf = (event: Entry['events'][number]) =>
    ('payment' in event && event.payment === id) || ('payout' in event && event.payout === id)
  const last = entries.findLast(({ events }) =>
    events.some(event => isOf(event) && (ENDS.has(event.type) || event.type === 'PayoutCreated')),
  )
  if (!last) return { how: 'unknown', at: null }
  const { at, by, events } = last
  if (!events.some(({ type }) => ENDS.has(type))) return { how: 'created', at }
  const fired = events.flatMap(event => (event.type === 'TimerFired' ? [event.timer] : []))
  if (fired.includes(`${id}:outcome`)) return { how: 'rule', at }
  if (fired.includes(`${id}:expire`)) return { how: 'time limit', at }
  if (fired.includes(`${id}:cancel`)) return { how: 'cancellation', at }
  return { how: by === 'operator' || by === 'payer' || by === 'merchant' ? by : 'unknown', at }
}

export function endCause(ended: boolean, { entries }: Surroundings, id: string): Cause[] {
  const { at } = endedBy(entries, id)
  return ended && at !== null ? [{ what: 'it ended', at: formatTimestamp(at) }] : []
}
