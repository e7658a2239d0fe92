import { isDeepStrictEqual } from 'node:util'
import type { DomainEvent, Entry, EventOf } from '../../../../src/domain/events.ts'
import type { Machine, Watch } from '../machine.ts'
import { must } from '../must.ts'
import { SECRETS } from '../provider.ts'
import { ended, isUnderVerification, TERMINAL } from './payments.ts'

const OPTIONAL = ['payment.created', 'payment.updated', 'payout.updated']
const ENDS = ['payment.succeeded', 'payment.failed', 'payment.expired', 'payment.cancelled']
const PAYOUT_ENDS = ['payout.succeeded', 'payout.failed', 'payout.cancelled']

/** Checks webhook events: which events exist, their content, and the endpoints that they are for. */
export class Events implements Watch {
  readonly #texts = new Map<string, string>()
  readonly #ends = new Map<string, string>()
  readonly #wanting = new Map<string, readonly string[] | null>()

  entry({ events }: Entry, machine: Machine): void {
    for (const event of events) {
      this.#followEndpoints(event)
      if (event.type === 'EventEmitted') this.#emitted(event, events, machine)
    }
  }

  #followEndpoints(event: DomainEvent): void {
    if (event.type === 'EndpointAdded') this.#wanting.set(event.endpoint, event.events)
    if (event.type === 'EndpointRemoved' || event.type === 'EndpointDisabled')
      this.#wanting.delete(event.endpoint)
  }

  #emitted(
    { event: id, name, subject }: EventOf<'EventEmitted'>,
    events: Entry['events'],
    machine: Machine,
  ): void {
    const wanted = [...this.#wanting].filter(([, names]) =>
      names ? names.includes(name) || names.includes('*') : !OPTIONAL.includes(name),
    )
    const queued = events.flatMap(event =>
      event.type === 'DeliveryQueued' && event.event === id ? [event.endpoint] : [],
    )
    const twice = machine.world.faults.webhook.some(({ type }) => type === 'duplicate')
    const expected = wanted.map(([endpoint]) => endpoint)
    must(
      isDeepStrictEqual([...new Set(queued)], expected) && (twice || queued.length === expected.length),
      'an event goes once to each endpoint that wants it',
      { name, queued, wanted },
    )
    if (OPTIONAL.includes(name)) must(queued.length > 0, 'an optional event exists only if wanted', name)
    const text = textOf(machine, id)
    must(!SECRETS.test(text), 'nothing of the provider gets into a webhook', text)
    this.#texts.set(id, text)
    if (OPTIONAL.includes(name) || 'data' in subject) return
    const record = 'payment' in subject ? subject.payment : subject.payout
    must(!this.#ends.has(record), 'one terminal event an intent', { name, record })
    this.#ends.set(record, id)
  }

  step(machine: Machine): void {
    const { payments, payouts, events } = machine.world
    must(events.size === this.#texts.size, 'no event comes or goes without an entry')
    for (const [id, payment] of payments) {
      const text = machine.rendering.payment(payment)
      const { status } = JSON.parse(text)
      const names = ENDS.filter(name =>
        payment.cancelled ? name.endsWith('cancelled') : name.endsWith(status),
      )
      this.#endSays(machine, id, { over: TERMINAL.includes(status), names, text })
    }
    for (const [id, payout] of payouts) {
      const text = machine.rendering.payout(payout)
      const names = PAYOUT_ENDS.filter(name => name.endsWith(payout.status))
      const moved = payout.updatedAt !== payout.sortKey.createdAt || this.#ends.has(id)
      const reason =
        payout.cancelReason === null ? '' : `,"cancel_reason":${JSON.stringify(payout.cancelReason)}`
      const over = names.length > 0 && moved
      this.#endSays(machine, id, { over, names, text: `${text.slice(0, -1)}${reason}}` })
    }
  }

  #endSays(
    machine: Machine,
    record: string,
    { over, names, text }: { over: boolean; names: string[]; text: string },
  ) {
    const id = this.#ends.get(record)
    if (!over) return must(id === undefined, 'no terminal event before the end', { record })
    must(id !== undefined, 'an intent that ended has its event', { record, text })
    const { type, data } = JSON.parse(textOf(machine, id))
    must(names.includes(type), 'the event is named after the end', { type, text })
    const now = JSON.parse(text)
    // A receipt that was under verification still gets its verdict, and nothing else changes.
    const [then, shown] = isUnderVerification(data.receipt) ? [ended(data), ended(now)] : [data, now]
    must(isDeepStrictEqual(then, shown), 'a terminal webhook and the view agree', { data, text })
  }

  end(machine: Machine): void {
    for (const [id, text] of this.#texts) must(textOf(machine, id) === text, 'an event never changes', text)
  }
}

function textOf({ world, rendering }: Machine, id: string): string {
  const event = world.events.get(id)
  must(event !== undefined, 'an event is never lost', id)
  return rendering.event(event)
}
