// A shop with Fastify's kind of routes, a state machine as xstate has them, a file in which it keeps its orders, and a
// queue that keeps tasks as better-queue does: `node machine-shop.mjs STYLE`.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { call, isGenuine, paymentFor, serve } from './merchant.mjs'

const STYLE = process.argv[2]
const FILE = join(process.env.PAYSIM_APP_DATA, 'orders.json')
const stored = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : { orders: {}, tasks: [] }

function save() {
  const { orders, tasks } = stored
  const kept = STYLE === 'a-queue-in-memory' ? [] : tasks
  writeFileSync(`${FILE}.new`, JSON.stringify({ orders, tasks: kept }))
  renameSync(`${FILE}.new`, FILE)
}

/** What an order does, state by state. Each event is about the payment that the order has now. */
const MACHINE = {
  new: { REQUESTED: { to: 'pending' } },
  pending: { SUCCEEDED: { to: 'paid', does: 'ship' }, FAILED: { to: 'declined' } },
  declined: { REQUESTED: { to: 'pending', does: 'forgetPayment' } },
  paid: {},
}
const ACTIONS = {
  ship: order => order.parcels.push(`parcel ${order.parcels.length + 1}`),
  forgetPayment: order => {
    order.past.push(order.payment)
    Object.assign(order, { payment: null, attempt: order.attempt + 1 })
  },
}

function send(order, event) {
  const transition = MACHINE[order.status][event]
  if (!transition) return
  order.status = transition.to
  if (transition.does) ACTIONS[transition.does](order)
  save()
}

/** Tasks are worked one after the other. One that fails is tried again; it leaves the queue when it is done. */
class Queue {
  #isWorking = false

  constructor(process, { maxRetries, retryDelay }) {
    Object.assign(this, { process, maxRetries, retryDelay })
    void this.#work()
  }

  push(task) {
    if (stored.tasks.some(({ id }) => id === task.id)) return
    stored.tasks.push(task)
    save()
    void this.#work()
  }

  async #work() {
    if (this.#isWorking) return
    this.#isWorking = true
    for (let [task] = stored.tasks; task; [task] = stored.tasks) {
      await this.#try(task)
      stored.tasks.shift()
      save()
    }
    this.#isWorking = false
  }

  async #try(task) {
    for (let nth = 0; nth <= this.maxRetries; nth++)
      try {
        return await this.process(task)
      } catch (error) {
        console.error(error.message)
        await pause(this.retryDelay)
      }
  }
}

const ENDS = { succeeded: 'SUCCEEDED', failed: 'FAILED', expired: 'FAILED', cancelled: 'FAILED' }

/** The state machine hears what the gateway says now, not what the event said. */
async function hear({ payment, reference }) {
  const order = stored.orders[reference]
  if (!order || order.past.includes(payment)) return
  // The answer of the call that made it has not come yet.
  if (!order.payment) order.payment = payment
  if (order.payment !== payment) return
  const { status } = await call('GET', `/payment_intents/${payment}`, { tries: 1 })
  if (order.payment === payment && ENDS[status]) send(order, ENDS[status])
}

const queue = new Queue(hear, {
  maxRetries: STYLE === 'a-task-that-is-tried-once' ? 0 : 30,
  retryDelay: 150,
})

async function pay({ reference, body }) {
  const { total } = JSON.parse(body)
  stored.orders[reference] ??= { status: 'new', parcels: [], payment: null, past: [], attempt: 1 }
  const order = stored.orders[reference]
  send(order, 'REQUESTED')
  const { attempt } = order
  if (!order.payment) {
    const json = paymentFor({ reference, total })
    const { id } = await call('POST', '/payment_intents', { key: `${reference}.${attempt}`, json })
    if (order.attempt === attempt) order.payment = id
    save()
  }
  return [201, { reference, payment: order.payment }]
}

/** The answer says that the event is stored, which it is. */
async function hook({ headers, body }) {
  if (!isGenuine(headers, body)) return [401, { error: 'not signed by the gateway' }]
  const { id, data } = JSON.parse(body)
  queue.push({ id, payment: data.id, reference: data.merchant_reference })
  return [202, {}]
}

/** The page of return shows the order; only the queue changes it. */
async function show({ reference }) {
  const order = stored.orders[reference]
  if (!order) return [404, { error: 'no such order' }]
  return [200, { reference, status: order.status, parcels: order.parcels.length }]
}

serve({
  'POST /orders/:reference/pay': pay,
  'GET /orders/:reference/return': show,
  'GET /orders/:reference': show,
  'POST /hooks/payments': hook,
})
