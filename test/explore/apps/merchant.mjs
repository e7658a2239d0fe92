// What both realistic shops have from libraries: routes as Express and Fastify have them, and calls to the gateway.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const { PORT, PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY, PAYSIM_WEBHOOK_SECRET } = process.env
const KEY = Buffer.from(PAYSIM_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
const TOLERANCE_S = 300
const CALLS = 5

/** `routes` maps a method and a path with `:reference` to a handler, which returns a status and a body. */
export function serve(routes) {
  const all = Object.entries(routes).map(([route, handler]) => {
    const [method, path] = route.split(' ')
    return { method, path: new RegExp(`^${path.replace(':reference', '([^/]+)')}$`), handler }
  })
  const answerTo = async request => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const [pathname] = request.url.split('?')
    const found = all.find(({ method, path }) => method === request.method && path.test(pathname))
    if (!found) return [404, { error: 'no such page' }]
    const [, reference] = found.path.exec(pathname)
    const body = Buffer.concat(chunks).toString('utf8')
    return found.handler({ reference, body, headers: request.headers })
  }
  createServer(async (request, response) => {
    const [status, body] = await answerTo(request).catch(error => {
      console.error(error)
      return [500, { error: String(error) }]
    })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(PORT, '127.0.0.1')
}

export function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < TOLERANCE_S)) return false
  const mac = createHmac('sha256', KEY).update(`${id}.${at}.${body}`).digest('base64')
  const wanted = Buffer.from(`v1,${mac}`)
  return given
    .split(' ')
    .map(one => Buffer.from(one))
    .some(one => one.length === wanted.length && timingSafeEqual(one, wanted))
}

async function callOnce(method, path, { key, json } = {}) {
  const response = await fetch(PAYSIM_BASE_URL + path, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${PAYSIM_PUBLIC_KEY}:${PAYSIM_SECRET_KEY}`).toString('base64')}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  const afterS = Number(response.headers.get('retry-after') ?? 0)
  return { status: response.status, body: await response.json(), afterS }
}

/** A 409 to a POST with a key says that the same request is still being carried out. */
const mayPass = ({ status }) => status === 409 || status === 429 || status >= 500

/** Calls the gateway, again if that may help. Throws if it is of no use. */
export async function call(method, path, { tries = CALLS, ...request } = {}) {
  for (let nth = 1; ; nth++) {
    const answer = await callOnce(method, path, request).catch(error => ({
      status: 599,
      body: String(error),
    }))
    if (!mayPass(answer) && answer.status < 400) return answer.body
    if (!mayPass(answer) || nth === tries) throw new Error(`${method} ${path}: ${answer.status}`)
    await pause(answer.afterS > 0 ? 1000 * answer.afterS : 100 * nth)
  }
}

export const paymentFor = ({ reference, total }) => ({
  amount: total,
  currency: 'THB',
  country: 'TH',
  checkout_mode: 'hosted',
  return_url: `http://localhost:${PORT}/orders/${reference}/return`,
  payment_method: 'th_promptpay',
  merchant_reference: reference,
  customer: { name: 'Malee Srisuk' },
})
