import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { AccountKeys } from '../harness.ts'
import { type Account, accountOf, type Intent } from '../support/account.ts'
import { imageFile, multipart } from '../support/multipart.ts'
import { paying } from '../support/payment-requests.ts'
import { probeCatalogue } from '../support/probe-catalogue.ts'
import { png } from '../support/receipt-images.ts'
import { useGateway } from '../support/use-gateway.ts'

/** A merchant that is removed while a request of it is still coming in. */

const gateway = useGateway()
const server = () => gateway.server

interface Call {
  path: string
  body: string | Buffer
  headers?: Record<string, string>
}

const json = { 'content-type': 'application/json' }
const image = multipart([imageFile(png())])
const operations: [string, (intent: Intent, payout: string) => Call][] = [
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

test.each(operations)('is 401 or 404: %s', async (_, callOf) => {
  const made = await server().merchant({ clock: { mode: 'virtual' }, catalogue: probeCatalogue() })
  const account = accountOf(server(), made.test)
  const { path, body, headers = json } = callOf(await account.pay('probe_receipt'), await payoutOf(account))
  const socket = await begin(made.test, path, { ...headers, 'content-length': String(body.length) })
  socket.write(body.slice(0, 1))
  expect((await server().control('DELETE', `/merchants/${made.id}`)).status).toBe(204)
  const answered = readAll(socket)
  socket.write(body.slice(1))
  const answer = await answered
  expect(answer).toMatch(/^HTTP\/1\.1 (401|404) /)
  expect(answer).toMatch(/"code":"(unauthorized|not_found)"/)
  expect(server().stderr()).not.toContain('    at ')
})

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
  const body = {
    amount: '100',
    currency: 'THB',
    country: 'TH',
    merchant_reference: 'refund-1',
    recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '12-3456-7890' },
  }
  const made = await account.control('POST', '/payouts', { body })
  expect(made.status, made.text).toBe(201)
  return made.body.id
}

function open(base: string): Socket {
  const { hostname, port } = new URL(base)
  // The answer may come, and the connection end, before all was sent.
  return connect(Number(port), hostname).on('error', () => {})
}

/** A request that the server has begun to serve: it says that the body may come. */
async function begin(keys: AccountKeys, path: string, headers: Record<string, string>): Promise<Socket> {
  const socket = open(server().url)
  const all = { authorization: basic(keys), connection: 'close', expect: '100-continue', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`POST ${path} HTTP/1.1`, `Host: ${new URL(server().url).host}`, ...lines]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [first] = await once(socket, 'data')
  expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  return socket
}

async function ask(base: string, path: string, lines: string[]): Promise<string> {
  const socket = open(base)
  const head = [`GET ${path} HTTP/1.1`, `Host: ${new URL(base).host}`, 'Connection: close', ...lines]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return readAll(socket)
}
