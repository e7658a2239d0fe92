import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import type { PaymentTrigger } from '../../src/contract/statuses.ts'
import type { Command } from '../../src/domain/commands.ts'
import type { Delivery } from '../../src/domain/model.ts'
import { Holds } from '../../src/engine/holds.ts'
import { TimeTravel } from '../../src/engine/time/time-travel.ts'
import { Courier } from '../../src/engine/webhooks/courier.ts'
import { WebhookHosts } from '../../src/engine/webhooks/webhook-hosts.ts'
import { WebhookSender } from '../../src/engine/webhooks/webhook-sender.ts'
import { FileShelf } from '../support/model/journals.ts'
import { CONTRACT, Machine } from '../support/model/machine.ts'
import { must } from '../support/model/must.ts'
import { replayEqualsWorld } from '../support/model/replay-equals-world.ts'
import { RUNS, seedOf, TEN_MINUTES } from '../support/model/runs.ts'
import { openReceiver, type Received } from '../support/model/scripted-receiver.ts'

type Receiver = Awaited<ReturnType<typeof openReceiver>>

const script = fc.array(fc.constantFrom(200, 200, 500, 302, 410, 429, null), { minLength: 1, maxLength: 4 })
const ends: PaymentTrigger[] = ['succeed', 'fail', 'expire']
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('endpoint' as const), script }),
    fc.record({ do: fc.constant('payment' as const), end: fc.constantFrom(...ends) }),
    fc.record({
      do: fc.constant('advance' as const),
      byMs: fc.constantFrom(0, 4999, 5000, 300_000, 100_000_000),
    }),
    fc.record({ do: fc.constant('remove' as const) }),
    fc.record({ do: fc.constant('restart' as const) }),
  ),
  { minLength: 3, maxLength: 12, size: 'max' },
)
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never

const TERMS = { receiversMs: 15_000, monotonic: () => performance.now() }
const sender = new WebhookSender(new WebhookHosts())

/** One life of the account with the real courier. */
function live(machine: Machine) {
  const courier = new Courier(machine.account, {
    bodyOf: event => machine.rendering.event(event),
    wall: Date.now,
    sender,
    holds: new Holds(Date.now),
  })
  courier.resume()
  return { courier, time: new TimeTravel(machine.account, courier, TERMS) }
}

async function play(history: readonly Step[], receiver: Receiver): Promise<void> {
  const machine = await Machine.start(await FileShelf.make(), [])
  let { courier, time } = live(machine)
  const go = (byMs: number | 'idle') => {
    const limit = byMs === 'idle' ? Number.POSITIVE_INFINITY : machine.account.now + byMs
    return time.advance(() => ({ until: byMs === 'idle' ? 'idle' : limit, limit }))
  }
  try {
    for (const step of history) {
      if (step.do === 'endpoint') await carryOut(machine, endpoint(receiver.url(step.script)))
      if (step.do === 'payment') await endPayment(machine, step.end)
      if (step.do === 'advance') await go(step.byMs)
      if (step.do === 'remove') {
        const id = machine.world.endpoints.keys().next().value
        if (id !== undefined) await carryOut(machine, { type: 'RemoveEndpoint', endpoint: id })
      }
      if (step.do === 'restart') {
        await courier.stop()
        await machine.restart(0)
        ;({ courier, time } = live(machine))
      }
    }
    expect(await go('idle')).toMatchObject({ idle: true })
    for (const delivery of machine.world.deliveries.values()) settledAsHeard(delivery, receiver.received)
    for (const request of receiver.received) genuine(machine, request)
    await replayEqualsWorld(machine)
  } finally {
    await courier.stop()
    await machine.close()
  }
}

const endpoint = (url: string) => ({ type: 'AddEndpoint', url, events: null }) as const

async function carryOut(machine: Machine, command: Command) {
  return machine.execute(command, 'operator')
}

async function endPayment(machine: Machine, trigger: PaymentTrigger): Promise<void> {
  const request = { amount: '5000', currency: 'THB', country: 'TH', customer: {} }
  const outcome = await carryOut(machine, { type: 'CreatePayment', request })
  if ('id' in outcome) await carryOut(machine, { type: 'MovePayment', payment: outcome.id, trigger })
}

/** What is recorded is what the receiver said, and it alone decides how a delivery ends. */
function settledAsHeard(delivery: Delivery, received: readonly Received[]): void {
  const heard = received.filter(
    ({ endpoint, headers }) =>
      delivery.url.endsWith(`/${endpoint}`) && headers['webhook-id'] === delivery.eventId,
  )
  const recorded = delivery.attempts.flatMap(({ result }) =>
    result && result.error !== 'the endpoint was removed' ? [result.status] : [],
  )
  must(
    delivery.status === 'delivered' || delivery.status === 'failed',
    'an idle account owes nothing',
    delivery,
  )
  const told = heard.map(({ status }) => status)
  let at = -1
  const inOrder = recorded.every(status => {
    at = told.indexOf(status, at + 1)
    return at !== -1
  })
  must(inOrder, 'each recorded answer was given, in that order', { recorded, told })
  const delivered = (recorded.at(-1) ?? 0) === 200
  must((delivery.status === 'delivered') === delivered, 'only 2xx delivers', delivery)
  must(delivery.attempts.length <= CONTRACT['events.retry'].length, 'the schedule has an end', delivery)
}

/** A public verifier takes it, and it says what the event is. */
function genuine({ world, rendering }: Machine, { endpoint, headers, body }: Received): void {
  const owner = [...world.endpoints.values()].find(({ url }) => url.endsWith(`/${endpoint}`))
  const event = world.events.get(headers['webhook-id'] ?? '')
  must(event !== undefined && rendering.event(event) === body, 'a webhook says what its event is', {
    headers,
    body,
  })
  if (owner) new Webhook(owner.secrets[0]?.secret ?? '').verify(body, headers)
}

test(
  'the promises about webhooks hold over HTTP, with failing receivers and a gateway that restarts',
  async () => {
    const numRuns = Math.ceil(RUNS / 20)
    const receiver = await openReceiver()
    try {
      const property = fc.asyncProperty(steps, async history => {
        receiver.received.length = 0
        await play(history, receiver)
      })
      await fc.assert(property, { numRuns, seed: seedOf('over HTTP', numRuns) })
    } finally {
      await receiver.close()
    }
  },
  TEN_MINUTES,
)
