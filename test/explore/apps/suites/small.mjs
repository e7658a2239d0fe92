// The tests of a small shop, and the shop, in one process: `node small.mjs [ships-twice] [has-no-key]
// [fails-over-a-duplicate] [tells-by-labels] [random]`. A random reference is another one in each run.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const { PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY } = process.env
const { PAYSIM_CONTROL_URL, PAYSIM_CONTROL_TOKEN } = process.env
const is = word => process.argv.includes(word)
const shipsTwice = is('ships-twice')
const reference = is('random') ? `tea-${Math.random()}` : 'tea'
const order = { status: 'pending', shipments: 0 }
let secret = ''

const isSigned = ({ 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature }, body) =>
  Math.abs(Date.now() / 1000 - at) < 300 &&
  signature === `v1,${createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')}`

const shop = createServer(async (request, response) => {
  const body = await text(request)
  if (!isSigned(request.headers, body)) return response.writeHead(401).end()
  if (is('fails-over-a-duplicate') && order.status === 'paid') return response.writeHead(500).end('known')
  if (JSON.parse(body).type === 'payment.succeeded' && (shipsTwice || order.status === 'pending')) {
    order.status = 'paid'
    order.shipments += 1
  }
  response.end()
}).listen(0, '127.0.0.1')
await once(shop, 'listening')

const call = async (url, authorization, method, body) => {
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
  assert(response.ok, `${method} ${url} got ${response.status}`)
  return response.json()
}
const account = 'accounts/default.test'
const control = (method, path, body) =>
  call(`${PAYSIM_CONTROL_URL}/${account}/${path}`, `Bearer ${PAYSIM_CONTROL_TOKEN}`, method, body)

const url = `http://127.0.0.1:${shop.address().port}/webhooks`
const endpoint = await control('POST', 'webhook-endpoints', { url })
secret = Buffer.from(endpoint.secret.replace('whsec_', ''), 'base64')
await control('PUT', 'clock', { mode: 'virtual' })
await control('PUT', 'rules', { rules: [{ outcome: { after: '20s', status: 'succeeded' } }] })
const keys = Buffer.from(`${PAYSIM_PUBLIC_KEY}:${PAYSIM_SECRET_KEY}`).toString('base64')
const payment = { amount: '25000', currency: 'THB', country: 'TH', checkout_mode: 'merchant' }
const names = { payment_method: 'th_promptpay', merchant_reference: reference, customer: { name: 'Somchai' } }
const pay = () =>
  call(`${PAYSIM_BASE_URL}/payment_intents`, `Basic ${keys}`, 'POST', { ...payment, ...names })
await pay().catch(error => (is('has-no-key') ? pay() : Promise.reject(error)))
await control('POST', 'clock/advance', { by: '1m' })
if (is('tells-by-labels') && order.shipments !== 1) {
  console.log(`not ok 1 - the order is shipped once\n  expected:\n    1\n  actual:\n    ${order.shipments}`)
  process.exit(1)
}
assert.deepEqual(order, { status: 'paid', shipments: 1 })
shop.close()
