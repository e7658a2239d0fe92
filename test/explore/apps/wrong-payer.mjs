// Wrong applications, each with one bug at the payer's browser: `node wrong-payer.mjs BUG`. `planted-payer.json` says
// which kind must find it.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { startShop } from './shop.mjs'

const statusOf = async (shop, order) =>
  (await shop.call('GET', `/payment_intents/${order.payment}`)).body?.status

const shown = (shop, order) => {
  shop.save()
  return [200, { status: order.status }]
}

/** Marks the order as it is now at the gateway, and ships if `ships` says so. */
async function settle(shop, order, ships = true) {
  const status = await statusOf(shop, order)
  if (order.status !== 'pending') return
  if (status === 'succeeded' && ships) shop.ship(order)
  else if (status === 'succeeded') order.status = 'paid'
  else if (status === 'failed') order.status = 'failed'
}

const BUGS = {
  /** Who comes back has paid. */
  'trusts-the-return': {
    back(shop, order) {
      if (order.status === 'pending') shop.ship(order)
      return shown(shop, order)
    },
  },
  /** The page looks at the order, and the webhook at its own events: each ships once. */
  'ships-for-both': {
    async back(shop, order) {
      await settle(shop, order)
      return shown(shop, order)
    },
    take(shop, event) {
      const order = shop.orderOf(event)
      if (!order || shop.seen.includes(event.id)) return [200, {}]
      shop.seen.push(event.id)
      if (event.type === 'payment.succeeded') shop.ship(order)
      if (event.type === 'payment.failed') order.status = 'failed'
      shop.save()
      return [200, {}]
    },
  },
  'looks-before-it-reads': {
    async back(shop, order) {
      if (order.status !== 'pending') return shown(shop, order)
      const status = await statusOf(shop, order)
      await pause(20)
      if (status === 'succeeded') shop.ship(order)
      if (status === 'failed') order.status = 'failed'
      return shown(shop, order)
    },
    async take(shop, event) {
      const order = shop.orderOf(event)
      if (order?.status !== 'pending') return [200, {}]
      await pause(20)
      if (event.type === 'payment.succeeded') shop.ship(order)
      if (event.type === 'payment.failed') order.status = 'failed'
      shop.save()
      return [200, {}]
    },
  },
  /** The webhook marks the order, and the page ships it. */
  'ships-at-each-return': {
    async back(shop, order) {
      await settle(shop, order, false)
      if (order.status === 'paid') shop.ship(order)
      return shown(shop, order)
    },
    take(shop, event) {
      const order = shop.orderOf(event)
      if (order?.status !== 'pending') return [200, {}]
      order.status = event.type === 'payment.succeeded' ? 'paid' : 'failed'
      shop.save()
      return [200, {}]
    },
  },
  'fails-over-a-reload': {
    back(shop, order) {
      if (order.thanked) throw new Error(`UNIQUE constraint failed: thanks.reference ${order.reference}`)
      order.thanked = true
      return shown(shop, order)
    },
  },
  'settles-at-the-return-only': {
    async back(shop, order) {
      await settle(shop, order)
      return shown(shop, order)
    },
    take: () => [200, {}],
  },
  'needs-a-session': {
    back(shop, order, { cookie }) {
      const [, session] = cookie.split('=')
      return session ? shown(shop, order) : [302, { location: '/login' }]
    },
  },
  /** It takes a payer without a session for somebody who gave up. */
  'gives-up-without-a-session': {
    back(shop, order, { cookie }) {
      if (cookie === undefined) order.status = 'abandoned'
      return shown(shop, order)
    },
  },
  'looks-before-it-orders': {
    async create(shop, wanted) {
      const known = shop.orders[wanted.reference]
      if (known) return [201, known]
      await pause(20)
      return shop.usual.create(wanted)
    },
    keyOf: () => randomUUID(),
  },
  'orders-again': { keyOf: () => randomUUID() },
  'numbers-each-click': {
    create(shop, wanted) {
      const order = shop.orders[wanted.reference]
      if (order) order.clicks = (order.clicks ?? 1) + 1
      return shop.usual.create(wanted)
    },
    keyOf: (shop, reference) => `${reference} ${shop.orders[reference].clicks ?? 1}`,
    paymentOf(shop, wanted) {
      const { clicks = 1 } = shop.orders[wanted.reference]
      const payment = shop.usual.paymentOf(wanted)
      return clicks === 1 ? payment : { ...payment, merchant_reference: `${wanted.reference}-${clicks}` }
    },
    orderOf: (shop, event) => shop.orders[event.data.merchant_reference.replace(/-\d+$/, '')],
  },
  'fails-over-a-second-click': {
    create(shop, wanted) {
      if (shop.orders[wanted.reference])
        throw new Error(`UNIQUE constraint failed: orders.reference ${wanted.reference}`)
      return shop.usual.create(wanted)
    },
  },
  /** Whoever presses again has ordered already, though no payment was made. */
  'refuses-what-has-no-payment': {
    create(shop, wanted) {
      return shop.orders[wanted.reference] ? [409, { error: 'the order exists' }] : shop.usual.create(wanted)
    },
  },
}

startShop(BUGS[process.argv[2]])
