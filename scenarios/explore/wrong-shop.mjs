// The shop of shop.mjs with one mistake: it ships whenever an event says that a payment succeeded.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

const { PORT, PAYSIM_APP_DATA, PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY } = process.env
const SECRET = Buffer.from(process.env.PAYSIM_WEBHOOK_SECRET.replace('whsec_', ''), 'base64')
const FILE = `${PAYSIM_APP_DATA}/orders.json`
const orders = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}

/** The file is there as a whole, whenever the shop is killed. */
function save() {
  writeFileSync(`${FILE}.new`, JSON.stringify(orders))
  renameSync(`${FILE}.new`, FILE)
}

/** The order is stored before the call, and its reference is the key of the call: a second try makes no second payment. */
async function createOrder({ reference, amount }) {
  orders[reference] ??= { reference, amount, status: 'pending', shipments: 0 }
  save()
  const payment = {
    amount,
    currency: 'THB',
    country: 'TH',
    checkout_mode: 'merchant',
    payment_method: 'th_promptpay',
    merchant_reference: reference,
    customer: { name: 'Somchai Jaidee' },
  }
  const { status } = await callGateway('/payment_intents', payment, reference)
  return status === 201 ? [201, orders[reference]] : [502, { error: 'The payment could not be made' }]
}

async function callGateway(path, body, key) {
  const credentials = Buffer.from(`${PAYSIM_PUBLIC_KEY}:${PAYSIM_SECRET_KEY}`).toString('base64')
  const headers = {
    authorization: `Basic ${credentials}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  }
  for (let tries = 1; ; tries++) {
    const answer = await fetch(PAYSIM_BASE_URL + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }).catch(() => undefined)
    const mayHelp = answer === undefined || answer.status === 429 || answer.status >= 500
    if (!mayHelp || tries === 4) return answer ?? { status: 0 }
    await pause(1000 * Number(answer?.headers.get('retry-after') ?? 0.1 * tries))
  }
}

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return false
  const expected = Buffer.from(
    `v1,${createHmac('sha256', SECRET).update(`${id}.${at}.${body}`).digest('base64')}`,
  )
  return signatures.split(' ').some(one => {
    const given = Buffer.from(one)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

function takeWebhook(headers, body) {
  if (!isGenuine(headers, body)) return [401, {}]
  const { type, data } = JSON.parse(body)
  const order = orders[data.merchant_reference]
  if (order) {
    if (type === 'payment.succeeded') Object.assign(order, { status: 'paid', shipments: order.shipments + 1 })
    if (type === 'payment.failed') order.status = 'failed'
    save()
  }
  return [200, {}]
}

async function answer({ method, url, headers }, body) {
  if (method === 'POST' && url === '/orders') return createOrder(JSON.parse(body))
  if (method === 'POST' && url === '/webhooks') return takeWebhook(headers, body)
  const order = orders[url.replace('/orders/', '')]
  return order ? [200, order] : [404, {}]
}

createServer(async (request, response) => {
  const [status, body] = await answer(request, await text(request))
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}).listen(PORT)
