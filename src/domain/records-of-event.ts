import type { DomainEvent, EventOf } from './events.ts'

type EventMember = { [T in DomainEvent['type']]: Exclude<keyof EventOf<T>, 'type'> }[DomainEvent['type']]

/**
 * Each member that an event can have: whether it is the id of a record, holds one, or is data. A new member has to be
 * listed, so that no event is missing from the history of its record.
 */
const MEMBERS: { readonly [M in EventMember]: 'id' | 'holds an id' | 'data' } = {
  payment: 'id',
  payout: 'id',
  asset: 'id',
  delivery: 'id',
  event: 'id',
  endpoint: 'id',
  subject: 'holds an id',
  amount: 'data',
  currency: 'data',
  country: 'data',
  checkoutMode: 'data',
  merchantReference: 'data',
  customer: 'data',
  returnUrl: 'data',
  expiresAt: 'data',
  route: 'data',
  options: 'data',
  instrument: 'data',
  script: 'data',
  rule: 'data',
  byPayer: 'data',
  digest: 'data',
  size: 'data',
  contentType: 'data',
  kind: 'data',
  message: 'data',
  failure: 'data',
  outcome: 'data',
  createdAt: 'data',
  recipient: 'data',
  status: 'data',
  reason: 'data',
  scope: 'data',
  fingerprint: 'data',
  answer: 'data',
  timer: 'data',
  dueAt: 'data',
  command: 'data',
  name: 'data',
  url: 'data',
  events: 'data',
  secret: 'data',
  secrets: 'data',
  fault: 'data',
  body: 'data',
  result: 'data',
  next: 'data',
  faults: 'data',
  held: 'data',
  used: 'data',
  rules: 'data',
  standard: 'data',
  catalogue: 'data',
  provider: 'data',
  healthy: 'data',
  clock: 'data',
}

/** The records that an event is about: their histories have its entry. */
export function recordsOf(event: DomainEvent): string[] {
  return Object.entries(event).flatMap(([member, value]) => {
    const kind = MEMBERS[member as EventMember]
    if (kind === 'id') return typeof value === 'string' ? [value] : []
    return kind === 'holds an id' ? (Object.values(value) as string[]) : []
  })
}
