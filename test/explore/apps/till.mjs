// Correct applications for everything that an order may rightly do: it is paid in parts, tried again after a decline,
// cancelled too late, and paid out. `node till.mjs STYLE`; till.yaml tells the story.
import { startShop } from './shop.mjs'

/** The outcomes that each part of an order and each payout can have; `pending` until then. */
const ENDS = { succeeded: 'paid', failed: 'failed', cancelled: 'cancelled', expired: 'failed' }

const partsOf = order => order.parts.filter(({ tried }) => tried === order.tries)

/** A part ends once; with the last of them the order ends, and is shipped if all are paid. */
function end(shop, order, part, status) {
  if (part.status !== 'pending' || !ENDS[status]) return
  part.status = ENDS[status]
  const found = new Set(partsOf(order).map(one => one.status))
  if (!found.has('pending')) {
    order.status = found.size === 1 ? part.status : found.has('paid') ? 'partly paid' : 'failed'
    if (order.status === 'paid') order.shipments += 1
  }
  shop.save()
}

function endPayout(shop, reference, status) {
  const known = shop.orders[reference]
  if (known || !['succeeded', 'failed'].includes(status)) return
  shop.orders[reference] = { reference, status: `payout ${status}`, parts: [], tries: 0, bookings: 1 }
  shop.save()
}

const TILL = {
  /** An order that failed is tried again. Each part is stored before its payment, and has its own key. */
  async create(shop, { reference, amounts, hosted }) {
    shop.orders[reference] ??= { reference, status: 'pending', shipments: 0, tries: 0, parts: [], hosted }
    const order = shop.orders[reference]
    if (order.parts.length === 0 || order.status === 'failed') {
      order.tries += 1
      order.status = 'pending'
      for (const [nth, amount] of amounts.entries())
        order.parts.push({ nth, amount, tried: order.tries, status: 'pending', payment: null })
      shop.save()
    }
    for (const part of partsOf(order)) {
      if (part.payment) continue
      const wanted = shop.paymentOf({ reference, amount: part.amount, hosted })
      const key = `${reference} ${part.tried} ${part.nth}`
      const answer = await shop.call('POST', '/payment_intents', wanted, key)
      if (answer.status >= 300 || answer.status === 0)
        return [502, { error: 'the payment could not be made' }]
      part.payment = answer.body.id
      shop.save()
    }
    return [201, { payment: partsOf(order)[0].payment }]
  },
  async cancel(shop, order) {
    for (const { payment, nth, tried } of partsOf(order)) {
      const key = `cancel ${order.reference} ${tried} ${nth}`
      const answer = await shop.call('POST', `/payment_intents/${payment}/cancel-pending`, {}, key)
      if (answer.status === 0 || answer.status >= 500) return [502, {}]
    }
    return [202, {}]
  },
  async back(shop, order) {
    for (const part of partsOf(order)) await shop.refresh(order, part)
    return [303, { location: `/orders/${order.reference}` }]
  },
  async refresh(shop, order, part) {
    if (part.payment === null || part.status !== 'pending') return true
    const answer = await shop.call('GET', `/payment_intents/${part.payment}`)
    if (answer.status !== 200) return false
    const { status, failure_code: code } = answer.body
    end(shop, order, part, code === 'payment_cancelled' ? 'cancelled' : status)
    return true
  },
  take(shop, { type, data }) {
    const [kind, outcome] = type.split('.')
    if (kind === 'payout') {
      endPayout(shop, data.merchant_reference, outcome)
      return [200, {}]
    }
    const order = shop.orders[data.merchant_reference]
    if (!order) return [200, {}]
    const part = order.parts.find(({ payment }) => payment === data.id)
    // The answer of the call that created it may not have arrived yet: then the event will be sent again.
    if (!part) return [order.parts.some(({ payment }) => payment === null) ? 503 : 200, {}]
    return shop.told(order, part, outcome)
  },
  told(shop, order, part, outcome) {
    end(shop, order, part, outcome)
    return [200, {}]
  },
}

const STYLES = {
  'till-by-state': {},
  /** Each event only says that there is something to look at. */
  'till-re-reading': {
    async told(shop, order, part, outcome) {
      if (!ENDS[outcome]) return [200, {}]
      return [(await shop.refresh(order, part)) ? 200 : 503, {}]
    },
  },
}

startShop({ ...TILL, ...STYLES[process.argv[2]] })
