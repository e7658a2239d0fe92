// A complete shop: orders in a file, payments through the gateway, and a webhook handler. The correct and the wrong
// applications are this shop with some parts replaced.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const env = process.env
const FILE = join(env.PAYSIM_APP_DATA, 'shop.json')
const AUTHORIZATION = `Basic ${Buffer.from(`${env.PAYSIM_PUBLIC_KEY}:${env.PAYSIM_SECRET_KEY}`).toString('base64')}`
const KEY = Buffer.from(env.PAYSIM_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
const TOLERANCE_S = 300

/** The parts of a shop; each can be replaced. `shop` is the shop that a part belongs to. */
const PARTS = {
  /** Orders and seen events are written before any answer. */
  save(shop) {
    writeFileSync(`${FILE}.new`, JSON.stringify({ orders: shop.orders, seen: shop.seen }))
    renameSync(`${FILE}.new`, FILE)
  },
  load(shop) {
    if (existsSync(FILE)) Object.assign(shop, JSON.parse(readFileSync(FILE, 'utf8')))
  },
  isSigned(_, headers, body) {
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' } = headers
    if (!(Math.abs(Date.now() / 1000 - Number(at)) < TOLERANCE_S)) return false
    const wanted = Buffer.from(
      `v1,${createHmac('sha256', KEY).update(`${id}.${at}.${body}`).digest('base64')}`,
    )
    return given
      .split(' ')
      .some(one => one.length === wanted.length && timingSafeEqual(Buffer.from(one), wanted))
  },
  /** Retries calls that failed or may have failed: the key makes that safe. */
  async call(shop, method, path, body, key) {
    for (let left = 4; ; left--) {
      const answer = await shop.send(method, path, body, key).catch(() => ({ status: 0 }))
      const isPassing = answer.status === 0 || answer.status === 429 || answer.status >= 500
      if (!isPassing || left === 0) return answer
      await pause(answer.retryAfter ? 1000 * answer.retryAfter : 100)
    }
  },
  async send(_, method, path, body, key) {
    const response = await fetch(env.PAYSIM_BASE_URL + path, {
      method,
      headers: {
        authorization: AUTHORIZATION,
        'content-type': 'application/json',
        ...(key ? { 'idempotency-key': key } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return {
      status: response.status,
      body: await response.json(),
      retryAfter: Number(response.headers.get('retry-after') ?? 0),
    }
  },
  paymentOf(_, { reference, amount, method = 'th_promptpay', hosted = false }) {
    const back = `http://localhost:${env.PORT}/orders/${reference}/return`
    return {
      amount,
      currency: 'THB',
      country: 'TH',
      ...(hosted ? { checkout_mode: 'hosted', return_url: back } : { checkout_mode: 'merchant' }),
      payment_method: method,
      merchant_reference: reference,
      customer: { name: 'Somchai Jaidee' },
    }
  },
  /** Store the order before its payment, because the webhook may come before the answer. */
  async create(shop, wanted) {
    const { reference } = wanted
    shop.orders[reference] ??= { reference, status: 'pending', shipments: 0, payment: null }
    const order = shop.orders[reference]
    shop.save()
    const answer = await shop.call('POST', '/payment_intents', shop.paymentOf(wanted), shop.keyOf(reference))
    if (answer.status !== 201 && answer.status !== 200)
      return [502, { error: 'the payment could not be made' }]
    order.payment = answer.body.id
    shop.save()
    return [201, order]
  },
  keyOf: (_, reference) => reference,
  orderOf: (shop, event) => shop.orders[event.data.merchant_reference],
  /** An event about an end counts once; a paid order stays paid. */
  take(shop, event) {
    const order = shop.orderOf(event)
    if (!order) return [200, {}]
    if (order.status !== 'pending') return [200, {}]
    if (event.type === 'payment.succeeded') shop.ship(order)
    if (event.type === 'payment.failed') order.status = 'failed'
    shop.save()
    return [200, {}]
  },
  ship(_, order) {
    order.status = 'paid'
    order.shipments += 1
  },
  async webhook(shop, headers, body) {
    if (!shop.isSigned(headers, body)) return [401, {}]
    return shop.take(JSON.parse(body), headers)
  },
  /** What the payer's browser gets when it comes back. */
  back: (_, order) => [200, { status: order.status }],
  cancel: () => [404, {}],
  began() {},
}

/** Parts of a shop in which a declined order is paid by a second payment with its reference. */
export const SECOND_TRIES = {
  create(shop, wanted) {
    const order = shop.orders[wanted.reference]
    if (order?.status === 'failed')
      Object.assign(order, { status: 'pending', payment: null, tries: (order.tries ?? 1) + 1 })
    return PARTS.create(shop, wanted)
  },
  keyOf: (shop, reference) => `${reference} ${shop.orders[reference].tries ?? 1}`,
}

export function startShop(parts = {}) {
  const shop = { orders: {}, seen: [] }
  for (const [name, part] of Object.entries({ ...PARTS, ...parts }))
    shop[name] = (...args) => part(shop, ...args)
  shop.usual = Object.fromEntries(
    Object.entries(PARTS).map(([name, part]) => [name, (...args) => part(shop, ...args)]),
  )
  shop.load()
  const answer = async ({ method, url, headers }, body) => {
    if (method === 'POST' && url === '/orders') return shop.create(JSON.parse(body))
    if (method === 'POST' && url === '/webhooks') return shop.webhook(headers, body)
    const order = shop.orders[url.split('/')[2]]
    if (order && method === 'POST' && url.endsWith('/cancel')) return shop.cancel(order)
    if (order && url.endsWith('/return')) return shop.back(order, headers, method)
    return order ? [200, order] : [404, {}]
  }
  createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const [status, body] = await answer(request, Buffer.concat(chunks).toString('utf8')).catch(error => {
      console.error(error)
      return [500, { error: String(error) }]
    })
    if (status === 'close') return request.socket.destroy()
    const more = body.location ? { location: body.location } : {}
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body))
  }).listen(env.PORT, '127.0.0.1')
  shop.began()
}
