// Correct applications, each written in its own style: `node right.mjs STYLE`.
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND_TRIES, startShop } from './shop.mjs'

/** Applies the payment's status, wherever it came from. */
function settle(shop, order, status) {
  if (order.status !== 'pending') return
  if (status === 'succeeded') shop.ship(order)
  else if (status === 'failed') order.status = 'failed'
  shop.save()
}

const statusOf = async (shop, order) => {
  const answer = await shop.call('GET', `/payment_intents/${order.payment}`)
  return answer.status === 200 ? answer.body.status : undefined
}

const STYLES = {
  'by-state': {},
  'by-event-id': {
    take(shop, event) {
      if (shop.seen.includes(event.id)) return [200, {}]
      shop.seen.push(event.id)
      const order = shop.orderOf(event)
      if (order && event.type === 'payment.succeeded') shop.ship(order)
      if (order && event.type === 'payment.failed') order.status = 'failed'
      shop.save()
      return [200, {}]
    },
  },
  'by-payment-and-status': {
    take(shop, event) {
      const state = `${event.data.id} ${event.data.status}`
      if (shop.seen.includes(state)) return [200, {}]
      shop.seen.push(state)
      const order = shop.orderOf(event)
      if (order) settle(shop, order, event.type.replace('payment.', ''))
      shop.save()
      return [200, {}]
    },
  },
  're-reading': {
    async take(shop, event) {
      const order = Object.values(shop.orders).find(({ payment }) => payment === event.data.id)
      // The answer of the call that created it has not arrived yet: this event will be sent again.
      if (!order) return [503, {}]
      const status = await statusOf(shop, order)
      if (status === undefined) return [503, {}]
      settle(shop, order, status)
      return [200, {}]
    },
  },
  'second-try': {
    ...SECOND_TRIES,
    take(shop, event) {
      const order = shop.orderOf(event)
      // The answer of the call that created it has not arrived yet: this event will be sent again.
      if (order && !order.payment) return [503, {}]
      return order?.payment === event.data.id ? shop.usual.take(event) : [200, {}]
    },
  },
  'second-try-re-reading': {
    ...SECOND_TRIES,
    async take(shop, event) {
      const order = shop.orderOf(event)
      if (!order?.payment) return [order ? 503 : 200, {}]
      const status = await statusOf(shop, order)
      if (status === undefined) return [503, {}]
      settle(shop, order, status)
      return [200, {}]
    },
  },
  /** It takes any webhook as a knock, whoever sent it, and reads the payment from the API. */
  'second-try-at-any-knock': {
    ...SECOND_TRIES,
    async webhook(shop, _, body) {
      const order = shop.orderOf(JSON.parse(body))
      if (!order?.payment) return [order ? 503 : 200, {}]
      const status = await statusOf(shop, order)
      if (status === undefined) return [503, {}]
      settle(shop, order, status)
      return [200, {}]
    },
  },
  /** A second press asks how the payment went, if no event has told yet. */
  'second-try-asks-at-the-press': {
    async create(shop, wanted) {
      const order = shop.orders[wanted.reference]
      const status = order?.payment && order.status === 'pending' ? await statusOf(shop, order) : undefined
      if (status) settle(shop, order, status)
      return SECOND_TRIES.create(shop, wanted)
    },
    keyOf: SECOND_TRIES.keyOf,
    take(shop, event) {
      const order = shop.orderOf(event)
      if (order && !order.payment) return [503, {}]
      return order?.payment === event.data.id ? shop.usual.take(event) : [200, {}]
    },
  },
  /** The page of return reads the payment, and both ways in pass one guard. */
  'reads-at-the-return': {
    async back(shop, order) {
      const status = await statusOf(shop, order)
      if (status) settle(shop, order, status)
      return [200, { status: order.status }]
    },
  },
  /** The page of return only shows the order, to its owner, on a page of its own. A second press is refused once there is a payment. */
  'shows-at-the-return': {
    create(shop, wanted) {
      const isPaidFor = shop.orders[wanted.reference]?.payment
      return isPaidFor ? [409, { error: 'the order exists' }] : shop.usual.create(wanted)
    },
    back(_, order, { cookie }, method) {
      if (method === 'HEAD') return [405, {}]
      if (!cookie?.startsWith('session=')) return [403, { error: 'sign in first' }]
      return [303, { location: `/orders/${order.reference}` }]
    },
  },
  'polling-only': {
    take: () => [200, {}],
    began(shop) {
      const round = async () => {
        for (const order of Object.values(shop.orders))
          if (order.status === 'pending' && order.payment) {
            const status = await statusOf(shop, order)
            if (status) settle(shop, order, status)
          }
      }
      const poll = async () => {
        for (;;) {
          await round().catch(console.error)
          await pause(40)
        }
      }
      void poll()
      // A payment that was requested before a crash is requested again, with its key.
      for (const { reference, payment, wanted } of Object.values(shop.orders))
        if (!payment && wanted) void shop.create({ reference, ...wanted })
    },
  },
  /** It asks for the methods all the time, counts what it ignores, and tells a stranger that all is well. */
  'with-a-heartbeat': {
    webhook(shop, headers, body) {
      if (shop.isSigned(headers, body)) return shop.take(JSON.parse(body))
      for (const order of Object.values(shop.orders)) order.strangers = (order.strangers ?? 0) + 1
      shop.save()
      return [200, {}]
    },
    take(shop, event) {
      const order = shop.orderOf(event)
      if (order && order.status !== 'pending') return [409, {}]
      return shop.usual.take(event)
    },
    async began(shop) {
      for (;;) {
        await shop.call('GET', '/payment_methods/options?amount=25000&country=TH&currency=THB')
        await pause(100)
      }
    },
  },
  'queue-and-worker': {
    take(shop, event) {
      shop.seen.push(event)
      shop.save()
      return [202, {}]
    },
    began(shop) {
      const work = async () => {
        for (;;) {
          const [event] = shop.seen
          if (event) {
            const order = shop.orderOf(event)
            if (order) settle(shop, order, event.type.replace('payment.', ''))
            shop.seen.shift()
            shop.save()
          } else await pause(20)
        }
      }
      void work()
    },
  },
}

startShop(STYLES[process.argv[2]])
