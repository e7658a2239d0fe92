import { expect, test } from 'vitest'
import { Holds } from '../../src/engine/holds.ts'
import { Queue } from '../../src/engine/time/scheduling.ts'
import { Courier } from '../../src/engine/webhooks/courier.ts'
import type { WebhookRequest, WebhookSender } from '../../src/engine/webhooks/webhook-sender.ts'
import { anAccount, createPayment } from '../support/engine/accounts.ts'

/** A receiver that answers one turn of the event loop later, and counts the requests that it has at a time. */
class CountingReceiver {
  most = 0
  readonly order: string[] = []
  #underWay = 0

  async send({ headers }: WebhookRequest) {
    this.order.push(headers['webhook-id'] ?? '')
    this.most = Math.max(this.most, ++this.#underWay)
    await new Promise(setImmediate)
    this.#underWay--
    return { status: 204, retryAfter: undefined, body: '' }
  }
}

/** Sends the events of many payments to an endpoint. */
async function sendMany(count: number, { standing }: { standing: boolean }) {
  const account = anAccount()
  if (standing) account.setClock(account.clock.change({ mode: 'virtual', at: account.now }))
  const receiver = new CountingReceiver()
  const courier = new Courier(account, {
    bodyOf: ({ id }) => id,
    wall: () => account.now,
    sender: receiver as unknown as WebhookSender,
    holds: new Holds(() => 0),
  })
  account.execute({ type: 'AddEndpoint', url: 'http://127.0.0.1:9/', events: null }, 'operator')
  for (let nth = 0; nth < count; nth++) {
    const payment = createPayment(account)
    account.execute({ type: 'MovePayment', payment, trigger: 'fail' }, 'operator')
  }
  await account.settled()
  await new Promise(setImmediate)
  await courier.idle()
  const recorded = [...account.world.deliveries.values()]
  return { receiver, recorded, busy: courier.busy, events: [...account.world.events.values()] }
}

test('an endpoint gets a limited number of webhooks at a time, and all in the end', async () => {
  const { receiver, recorded, busy } = await sendMany(200, { standing: false })
  expect(recorded).toHaveLength(200)
  expect(recorded.every(({ status }) => status === 'delivered')).toBe(true)
  expect(receiver.most).toBe(32)
  expect(busy).toBe(false)
})

test('an endpoint gets one webhook at a time on a virtual clock, in the order of the events', async () => {
  const { receiver, recorded, events } = await sendMany(50, { standing: true })
  expect(recorded.every(({ status }) => status === 'delivered')).toBe(true)
  expect(receiver.most).toBe(1)
  expect(receiver.order).toEqual(events.map(({ id }) => id))
})

test('a queue returns its items in order', () => {
  const queue = new Queue<number>()
  const taken: (number | undefined)[] = []
  for (let nth = 0; nth < 1000; nth++) {
    queue.push(nth)
    if (nth % 3 === 0) taken.push(queue.shift())
  }
  while (queue.first !== undefined) taken.push(queue.shift())
  expect(taken).toEqual(Array.from({ length: 1000 }, (_, nth) => nth))
  expect(queue.shift()).toBeUndefined()
})
