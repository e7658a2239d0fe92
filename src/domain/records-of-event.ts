import type { DomainEvent, EventOf } from './events.ts'

type EventMember = { [T in DomainEvent['type']]: Exclude<keyof EventOf<T>, 'type'> }[DomainEvent['type']]

/** The members that are ids of records. A test compares them with the schemas of the events, so none is forgotten. */
const IDS: readonly EventMember[] = ['payment', 'payout', 'asset', 'delivery', 'event', 'endpoint']

/** The records that an event is about: their histories have its entry. */
export function recordsOf(event: DomainEvent): string[] {
  const members: Partial<Record<EventMember, unknown>> = event
  const about = [...IDS.map(member => members[member]), ...Object.values(members.subject ?? {})]
  return about.filter(record => typeof record === 'string')
}
