// Wrong applications, each with one bug: `node wrong.mjs BUG`. `planted.json` says which kind must find it.
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND_TRIES, startShop } from './shop.mjs'

const byState = (shop, event) => shop.usual.take(event)
const isSignedNow = (shop, headers, body) =>
  shop.usual.isSigned({ ...headers, 'webhook-timestamp': headers['webhook-timestamp'] }, body)
const notTheSecond = (shop, id) => {
  if (shop.seen.includes(id)) return false
  shop.seen.push(id)
  return true
}
/** Trusts the last event. */
const believe = (shop, event) => {
  const order = shop.orderOf(event)
  if (!order) return [200, {}]
  if (event.type === 'payment.succeeded' && order.status !== 'paid') shop.ship(order)
  if (event.type === 'payment.failed') order.status = 'failed'
  shop.save()
  return [200, {}]
}

/** The orders survive a restart, but not this. */
let keys = 0

/** The orders survive a restart, but not the ids of the events that were handled. */
const handled = new Set()

const SHIPS_AT_EACH_EVENT = {
  take(shop, event) {
    const order = shop.orderOf(event)
    if (order && event.type === 'payment.succeeded') shop.ship(order)
    if (order && event.type === 'payment.failed') order.status = 'failed'
    shop.save()
    return [200, {}]
  },
}

const BUGS = {
  'remembers-events-in-memory': {
    take(shop, event) {
      if (handled.has(event.id)) return [200, {}]
      handled.add(event.id)
      const order = shop.orderOf(event)
      if (order && event.type === 'payment.succeeded') shop.ship(order)
      if (order && event.type === 'payment.failed') order.status = 'failed'
      shop.save()
      return [200, {}]
    },
  },
  'ships-at-each-event': SHIPS_AT_EACH_EVENT,
  'ships-at-each-event-of-two-tries': { ...SECOND_TRIES, ...SHIPS_AT_EACH_EVENT },
  /** A second press asks how the payment went. But a late event about the first one undoes what the second one paid. */
  'undone-by-a-late-failure': {
    async create(shop, wanted) {
      const order = shop.orders[wanted.reference]
      if (order?.status === 'pending' && order.payment) {
        const { body } = await shop.call('GET', `/payment_intents/${order.payment}`)
        if (body.status === 'failed') order.status = 'failed'
      }
      return SECOND_TRIES.create(shop, wanted)
    },
    keyOf: SECOND_TRIES.keyOf,
    take: believe,
  },
  'fails-over-a-duplicate': {
    take(shop, event) {
      if (!notTheSecond(shop, event.id)) throw new Error(`UNIQUE constraint failed: events.id ${event.id}`)
      return byState(shop, event)
    },
  },
  'looks-before-it-waits': {
    async take(shop, event) {
      const order = shop.orderOf(event)
      if (order?.status !== 'pending') return [200, {}]
      await pause(15)
      if (event.type === 'payment.succeeded') shop.ship(order)
      if (event.type === 'payment.failed') order.status = 'failed'
      shop.save()
      return [200, {}]
    },
  },
  'last-event-wins': {
    take(shop, event) {
      const order = shop.orderOf(event)
      if (!order) return [200, {}]
      if (event.type === 'payment.succeeded' && order.shipments === 0) shop.ship(order)
      else order.status = { succeeded: 'paid', failed: 'failed' }[event.data.status] ?? 'pending'
      if (event.type === 'payment.updated') order.status = 'pending'
      shop.save()
      return [200, {}]
    },
  },
  'drops-what-is-old': {
    take(shop, event) {
      const at = Date.parse(event.timestamp)
      const isOld = shop.seen.some(other => other > at)
      shop.seen.push(at)
      return isOld ? [200, {}] : byState(shop, event)
    },
  },
  'knows-the-last-event-only': {
    take(shop, event) {
      if (shop.seen.at(-1) === event.id) return [200, {}]
      shop.seen = [event.id]
      const order = shop.orderOf(event)
      if (order && event.type === 'payment.succeeded') shop.ship(order)
      if (order && event.type === 'payment.failed') order.status = 'failed'
      shop.save()
      return [200, {}]
    },
  },
  'dedupes-by-signature': {
    take(shop, event, headers) {
      if (!notTheSecond(shop, headers['webhook-signature'])) return [200, {}]
      const order = shop.orderOf(event)
      if (order && event.type === 'payment.succeeded') shop.ship(order)
      if (order && event.type === 'payment.failed') order.status = 'failed'
      shop.save()
      return [200, {}]
    },
  },
  'ignores-unknown-payments': {
    take(shop, event) {
      const order = Object.values(shop.orders).find(({ payment }) => payment === event.data.id)
      return order ? byState(shop, event) : [200, {}]
    },
  },
  /** The worker behind its queue looks once. */
  'drops-unknown-payments-from-its-queue': {
    take(shop, event) {
      setTimeout(() => {
        const order = Object.values(shop.orders).find(({ payment }) => payment === event.data.id)
        if (order) byState(shop, event)
        else console.log(`no order has the payment ${event.data.id}`)
      }, 500)
      return [202, {}]
    },
  },
  'refuses-unknown-fields': {
    take(shop, event) {
      const known = ['id', 'type', 'timestamp', 'environment', 'data']
      return Object.keys(event).every(name => known.includes(name)) ? byState(shop, event) : [400, {}]
    },
  },
  'falls-over-unknown-types': {
    take(shop, event) {
      const handler = { succeeded: byState, failed: byState, updated: byState }[event.type.split('.')[1]]
      return handler(shop, event)
    },
  },
  'dies-of-unknown-types': {
    take(shop, event) {
      if (!/succeeded|failed|updated/.test(event.type)) process.exit(3)
      return byState(shop, event)
    },
  },
  'does-not-verify': { isSigned: () => true, take: believe },
  'verifies-what-is-signed': {
    isSigned: (shop, headers, body) => !headers['webhook-signature'] || isSignedNow(shop, headers, body),
    take: believe,
  },
  'forgets-the-timestamp': {
    isSigned(shop, headers, body) {
      const now = Date.now
      Date.now = () => 1000 * Number(headers['webhook-timestamp'])
      try {
        return shop.usual.isSigned(headers, body)
      } finally {
        Date.now = now
      }
    },
    take: believe,
  },
  'has-no-key': { keyOf: () => undefined },
  'has-a-new-key-each-time': {
    send: (shop, method, path, body) => shop.usual.send(method, path, body, `${Math.random()}`),
  },
  'gives-up-over-a-reset': {
    async call(shop, method, path, body, key) {
      const answer = await shop.send(method, path, body, key).catch(() => ({ status: 422 }))
      return answer.status >= 400
        ? shop.usual.call(method, path, body, key).then(other => (answer.status === 422 ? answer : other))
        : answer
    },
  },
  'gives-up-over-a-503': {
    async call(shop, method, path, body, key) {
      const answer = await shop.send(method, path, body, key).catch(() => ({ status: 0 }))
      return answer.status === 503
        ? answer
        : answer.status < 400 && answer.status > 0
          ? answer
          : shop.usual.call(method, path, body, key)
    },
  },
  'takes-429-for-a-refusal': {
    async call(shop, method, path, body, key) {
      const answer = await shop.send(method, path, body, key).catch(() => ({ status: 0 }))
      if (answer.status === 429) return answer
      return answer.status === 0 || answer.status >= 500 ? shop.usual.call(method, path, body, key) : answer
    },
  },
  'is-impatient': {
    async call(shop, method, path, body, key) {
      const first = shop.usual.call(method, path, body, key)
      const answer = await Promise.race([first, pause(1200)])
      return answer ?? shop.usual.call(method, path, body, `${key}-again`)
    },
  },
  'refuses-unknown-members': {
    async send(shop, method, path, body, key) {
      const answer = await shop.usual.send(method, path, body, key)
      const strange = Object.keys(answer.body).filter(name => /later/.test(name))
      if (strange.length > 0) return { ...answer, status: 422 }
      return answer
    },
  },
  'forgets-all': { save() {}, load() {} },
  'counts-its-keys': { keyOf: () => `key-${++keys}` },
  'dies-without-a-signature': {
    isSigned(shop, headers, body) {
      // Behind the answer, where nobody catches what it throws.
      setImmediate(() => headers['webhook-signature'].split(' '))
      return shop.usual.isSigned(headers, body)
    },
  },
  'asks-once-in-its-own-time': {
    async create(shop, { reference, ...wanted }) {
      const order = { reference, status: 'pending', shipments: 0 }
      shop.orders[reference] ??= order
      shop.save()
      setTimeout(() => {
        const payment = shop.paymentOf({ reference, ...wanted })
        shop.send('POST', '/payment_intents', payment, reference).catch(() => {})
      }, 5)
      return [201, order]
    },
  },
  'ships-behind-its-answer': {
    take(shop, event) {
      setTimeout(() => {
        const order = shop.orderOf(event)
        if (order && event.type === 'payment.succeeded') shop.ship(order)
        if (order && event.type === 'payment.failed') order.status = 'failed'
        shop.save()
      }, 80)
      return [200, {}]
    },
  },
  'takes-any-event-for-success': {
    take(shop, event) {
      const type = /failed|updated/.test(event.type) ? event.type : 'payment.succeeded'
      return byState(shop, { ...event, type })
    },
  },
  'closes-the-connection-over-unknown-types': {
    take(shop, event) {
      if (/succeeded|failed|updated/.test(event.type)) return byState(shop, event)
      // Many servers do so where a handler throws.
      return ['close', {}]
    },
  },
  'asks-under-another-reference': {
    async send(shop, method, path, body, key) {
      const answer = await shop.usual.send(method, path, body, key).catch(() => ({ status: 0 }))
      if (answer.status > 0 || !body) return answer
      return shop.usual.send(method, path, { ...body, merchant_reference: `${key}-again` }, `${key}-again`)
    },
    orderOf: (shop, event) => shop.orders[event.data.merchant_reference.replace(/-again$/, '')],
  },
}

startShop(BUGS[process.argv[2]])
