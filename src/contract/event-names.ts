import { closest } from './closest.ts'
import type { Contract } from './decisions.ts'

/** What webhooks report: the ends of payments and payouts and, on request, earlier changes. */
export const STANDARD_EVENTS = [
  'payment.succeeded',
  'payment.failed',
  'payment.expired',
  'payment.cancelled',
  'payout.succeeded',
  'payout.failed',
  'payout.cancelled',
] as const
/** Sent only to an endpoint that subscribes to them by name. */
export const OPTIONAL_EVENTS = ['payment.created', 'payment.updated', 'payout.updated'] as const
export const EVENT_NAMES = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS] as const

export const isStandardEvent = (name: string) => STANDARD_EVENTS.some(event => event === name)

export type EventName = (typeof EVENT_NAMES)[number]

/** What an endpoint may subscribe to: events by name, or all of them. */
export type EventChoice = EventName | '*'

/** The final status that an event reports; undefined for an earlier change. */
export function endingOf(event: EventName, contract: Contract): string | undefined {
  if (event === 'payment.cancelled') return contract['payment.after_cancel']
  return isStandardEvent(event) ? event.split('.')[1] : undefined
}

const CALLED_ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['paid', 'success', 'successful', 'complete', 'completed', 'settled', 'captured', 'confirmed'].map(
      name => [name, 'succeeded'],
    ),
  ),
  ...Object.fromEntries(['failure', 'declined', 'rejected', 'refused'].map(name => [name, 'failed'])),
  ...Object.fromEntries(['canceled', 'voided', 'aborted'].map(name => [name, 'cancelled'])),
  timeout: 'expired',
}

/** The event that the caller probably meant, by its name in other gateways or by its spelling. */
export function eventMeant(name: string): EventName | undefined {
  const [, record, what = ''] = /^(payment|payout)\w*\.(?:\w+\.)*(\w+)$/.exec(name.toLowerCase()) ?? []
  const meant = `${record}.${CALLED_ELSEWHERE[what] ?? what}`
  return EVENT_NAMES.find(
    event => event === (EVENT_NAMES.some(each => each === meant) ? meant : closest(name, EVENT_NAMES)),
  )
}
