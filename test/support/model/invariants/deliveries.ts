import type { Entry, EventOf } from '../../../../src/domain/events.ts'
import { CONTRACT, type Machine, type Watch } from '../machine.ts'
import { must } from '../must.ts'

const GAPS = CONTRACT['events.retry']

/** Deliveries follow the retry schedule, attempt by attempt. */
export class Deliveries implements Watch {
  readonly #attempts = new Map<string, number>()

  entry(entry: Entry, machine: Machine): void {
    for (const event of entry.events) {
      if (event.type === 'AttemptStarted') this.#started(event.delivery, machine)
      if (event.type === 'AttemptEnded') ended(event, entry, machine)
    }
  }

  #started(id: string, { world }: Machine): void {
    const number = (this.#attempts.get(id) ?? 0) + 1
    this.#attempts.set(id, number)
    const delivery = world.deliveries.get(id)
    must(delivery?.attempts.length === number, 'attempts are counted', delivery)
    const endpoint = world.endpoints.get(delivery.endpointId)
    must(endpoint?.disabled === false, 'an endpoint that is gone or disabled gets nothing', delivery)
  }

  step({ world }: Machine): void {
    for (const delivery of world.deliveries.values()) {
      const { id, status, nextAttemptAt, endpointId } = delivery
      const waiting = status === 'pending'
      const timer = world.timers.get(`${id}:attempt`)
      must(
        waiting === (nextAttemptAt !== null),
        'a next attempt is named exactly while one is to come',
        delivery,
      )
      must(
        timer?.dueAt === (nextAttemptAt ?? undefined),
        'a pending delivery has its timer, and no other has one',
        delivery,
      )
      if (waiting)
        must(
          world.endpoints.get(endpointId)?.disabled === false,
          'nothing waits for an endpoint that is gone',
          delivery,
        )
    }
  }
}

function ended(
  { delivery: id, result, next }: EventOf<'AttemptEnded'>,
  { at }: Entry,
  { world }: Machine,
): void {
  const delivery = world.deliveries.get(id)
  must(delivery !== undefined, 'a delivery is never lost', id)
  const { status } = result
  const delivered = status !== null && status >= 200 && status < 300
  const gap = GAPS[delivery.attempts.length]
  const endpoint = world.endpoints.get(delivery.endpointId)
  const over = delivered || status === 410 || gap === undefined || endpoint?.disabled !== false
  const expected = over ? null : at + Math.max(gap, result.retryAfterMs ?? 0)
  must(next === expected, 'the next attempt comes as the schedule says', { delivery, next, expected })
  const state = delivered ? 'delivered' : over ? 'failed' : 'pending'
  must(delivery.status === state, 'only 2xx delivers', delivery)
  if (status === 410) must(endpoint?.disabled !== false, '410 disables the endpoint', delivery)
}
