import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { type Account, accountOf, type Json } from '../../support/gateway/merchant.ts'
import { probeCatalogue } from '../../support/gateway/probe-catalogue.ts'
import type { AccountKeys } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { imageFile, multipart } from '../../support/http/multipart.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { paying } from '../../support/payments/requests.ts'

/** A merchant that is removed while a request of it is still coming in. */

const server = sharedServer()

interface Call {
  path: string
  body: string | Buffer
  headers?: Record<string, string>
}

const json = { 'content-type': 'application/json' }
const PAYOUT = {
  amount: '100',
  currency: 'THB',
  country: 'TH',
  merchant_reference: 'refund-1',
  recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '12-3456-7890' },
}
const image = multipart([imageFile(png())])
const operations: [string, (intent: Json, payout: string) => Call][] = [
  ['create', () => ({ path: '/payment_intents', body: JSON.stringify(paying('probe_transfer')) })],
  ['a create that is not valid', () => ({ path: '/payment_intents', body: '{"amount":"0"}' })],
  ['cancel-pending', ({ id }) => ({ path: `/payment_intents/${id}/cancel-pending`, body: '{}' })],
  [
    'a receipt by its asset',
    ({ id }) => ({ path: `/payment_intents/${id}/receipt`, body: '{"asset_id":"ast_x"}' }),
  ],
  [
    'a receipt as an image',
    ({ id }) => ({
      path: `/payment_intents/${id}/receipt`,
      body: Buffer.from(image.raw),
      headers: { ...image.headers, 'idempotency-key': 'k' },
    }),
  ],
  ['payout cancel', (_, payout) => ({ path: `/payout_intents/${payout}/cancel`, body: '{"reason":"late"}' })],
]

test.each(operations)('a request to a merchant removed meanwhile is 401 or 404: %s', async (_, callOf) => {
  const made = await server().merchant({ clock: { mode: 'virtual' }, catalogue: probeCatalogue() })
  const account = accountOf(server(), made.test)
  const { path, body, headers = json } = callOf(await account.pay('probe_receipt'), await payoutOf(account))
  const answer = await removedDuring(made.id, `POST ${path}`, body, {
    ...headers,
    authorization: basic(made.test),
  })
  expect(answer).toMatch(/^HTTP\/1\.1 (401|404) /)
  expect(answer).toMatch(/"code":"(unauthorized|not_found)"/)
  expect(server().stderr()).not.toContain('    at ')
})

test.each([
  ['GET', '/payment_intents/:id'],
  ['GET', '/payout_intents'],
  ['GET', '/payment_methods/options?amount=100&country=TH&currency=THB'],
  ['POST', '/payment_intents'],
  ['POST', '/payment_intents/:id/cancel-pending'],
])('a request held up by a fault is 401 or 404 if its merchant is removed: %s %s', async (method, path) => {
  for (let seconds = 1; ; seconds *= 4) {
    const made = await server().merchant({ clock: { mode: 'virtual' }, catalogue: probeCatalogue() })
    const account = accountOf(server(), made.test)
    const { id } = await account.pay('probe_transfer')
    const faults = [{ on: '*', type: 'latency', delay: `${seconds}s` }]
    expect((await account.control('PUT', '/faults', { body: { faults } })).status).toBe(200)
    const body = method === 'POST' ? { body: paying('probe_transfer') } : {}
    let isAnswered = false
    const asked = account.call(method, path.replace(':id', id), body).finally(() => {
      isAnswered = true
    })
    const used = async () => (await account.control('GET', '/faults')).body.used
    await expect.poll(used, { interval: 5 }).toEqual([1])
    expect((await server().control('DELETE', `/merchants/${made.id}`)).status).toBe(204)
    // A busy machine may have taken longer for that than the request was held up.
    const isTooLate = isAnswered
    const { status, body: answer } = await asked
    if (isTooLate && seconds < 60) continue
    expect(isTooLate).toBe(false)
    expect([401, 404]).toContain(status)
    expect(['unauthorized', 'not_found']).toContain(answer.error.code)
    expect(server().stderr()).not.toContain('    at ')
    return
  }
})

const archive = async (account: Account) => (await account.control('GET', '/export')).text
const controlCalls: [string, string, (account: Account) => string | Promise<string>][] = [
  ['POST', '/payments/:id/succeed', () => '{}'],
  ['PUT', '/rules', () => '{"rules":[]}'],
  ['POST', '/rules', () => '{"rules":[]}'],
  ['PUT', '/catalogue', () => JSON.stringify(probeCatalogue())],
  ['PUT', '/faults', () => '{"faults":[]}'],
  ['PUT', '/clock', () => '{"mode":"virtual"}'],
  ['POST', '/clock/advance', () => '{"by":"1s"}'],
  ['POST', '/payouts', () => JSON.stringify(PAYOUT)],
  ['POST', '/webhook-endpoints', () => '{"url":"http://127.0.0.1:9/hooks"}'],
  ['PUT', '/import', archive],
]

test.each(controlCalls)(
  'a control call to a merchant removed meanwhile is 404: %s %s',
  async (method, path, bodyOf) => {
    const made = await server().merchant({ clock: { mode: 'virtual' }, catalogue: probeCatalogue() })
    const account = accountOf(server(), made.test)
    const { id } = await account.pay('probe_transfer')
    const address = `/_paysim/accounts/${made.test.id}${path.replace(':id', id)}`
    const answer = await removedDuring(made.id, `${method} ${address}`, await bodyOf(account), {
      ...json,
      authorization: `Bearer ${server().controlToken}`,
    })
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    expect(answer).toContain('"code":"not_found"')
    expect((await server().control('GET', `/merchants/${made.id}`)).status).toBe(404)
    expect(server().stderr()).not.toContain('    at ')
  },
)

describe('two Authorization headers', () => {
  test.each([
    ['both good', (good: string) => [good, good]],
    ['the second good', (good: string) => ['Basic eDp5', good]],
    ['the first good', (good: string) => [good, 'Basic eDp5']],
    ['the second empty', (good: string) => [good, '']],
  ])('are 401: %s', async (_, both) => {
    const { test: keys } = await server().merchant()
    const lines = both(basic(keys)).map(value => `Authorization: ${value}`)
    expect(await ask(server().url, '/payout_intents', lines)).toMatch(/^HTTP\/1\.1 401 /)
    expect(await ask(server().url, '/payout_intents', lines.slice(0, 1))).toMatch(/^HTTP\/1\.1 (200|401) /)
  })

  test('are 401 on the control surface, too', async () => {
    const line = `Authorization: Bearer ${server().controlToken}`
    const path = '/_paysim/merchants'
    expect(await ask(server().url, path, [line])).toMatch(/^HTTP\/1\.1 200 /)
    expect(await ask(server().url, path, [line, line])).toMatch(/^HTTP\/1\.1 401 /)
  })
})

const basic = (keys: AccountKeys) =>
  `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString('base64')}`

async function payoutOf(account: Account): Promise<string> {
  const made = await account.control('POST', '/payouts', { body: PAYOUT })
  expect(made.status, made.text).toBe(201)
  return made.body.id
}

function open(base: string): Socket {
  const { hostname, port } = new URL(base)
  // The answer may come, and the connection end, before all was sent.
  return connect(Number(port), hostname).on('error', () => {})
}

/** The answer to a request whose merchant is removed after the first byte of its body. */
async function removedDuring(
  merchant: string,
  line: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<string> {
  const socket = await begin(line, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  const bytes = Buffer.from(body)
  socket.write(bytes.subarray(0, 1))
  expect((await server().control('DELETE', `/merchants/${merchant}`)).status).toBe(204)
  const answered = readAll(socket)
  socket.write(bytes.subarray(1))
  return answered
}

/** A request that the server has begun to serve: it says that the body may come. */
async function begin(line: string, headers: Record<string, string>): Promise<Socket> {
  const socket = open(server().url)
  const all = { connection: 'close', expect: '100-continue', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`${line} HTTP/1.1`, `Host: ${new URL(server().url).host}`, ...lines]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [first] = await once(socket, 'data')
  // Otherwise an answer that comes before anybody reads it would be lost.
  socket.pause()
  expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  return socket
}

async function ask(base: string, path: string, lines: string[]): Promise<string> {
  const socket = open(base)
  const head = [`GET ${path} HTTP/1.1`, `Host: ${new URL(base).host}`, 'Connection: close', ...lines]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return readAll(socket)
}
