import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { fileServer, ownServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { claimedPort } from '../../support/http/claimed-port.ts'

/** The payer's browser at the return_url, without a browser. */

const server = fileServer({ args: ['--control-port', '0'] })
let account: Account

beforeEach(async () => {
  account = await openAccount(server())
})

async function shop(answer: RequestListener) {
  const asked: string[] = []
  const listener = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, asked }
}

async function goBack(return_url: string | undefined, seller = account) {
  const { id } = await seller.payHosted({ return_url })
  return seller.control('POST', `/payments/${id}/return`)
}

test('the return_url is opened once, exactly as given, and its answer is told', async () => {
  const { url, asked } = await shop((_, response) => response.writeHead(200).end('<p>Thanks'))
  const answer = await goBack(`${url}/thanks?order=1&b=%20`)
  expect(answer.body, answer.text).toEqual({ status: 200, location: null })
  expect(asked).toEqual(['GET /thanks?order=1&b=%20'])
})

test('a redirect is told, and not followed', async () => {
  const { url, asked } = await shop((_, response) => response.writeHead(303, { location: '/in' }).end())
  expect((await goBack(url)).body).toEqual({ status: 303, location: '/in' })
  expect(asked).toEqual(['GET /'])
})

test('what the application gets wrong is an answer too', async () => {
  const { url } = await shop((_, response) => response.writeHead(500).end())
  expect(await goBack(url)).toMatchObject({ status: 200, body: { status: 500, location: null } })
})

test('the application may ask for the payment before it answers', async () => {
  const { url } = await shop(async (request, response) => {
    const { status } = await account.read(new URL(request.url ?? '', url).searchParams.get('order') ?? '')
    response.writeHead(status === 'pending' ? 202 : 500).end()
  })
  const { id } = await account.payHosted()
  expect((await goBack(`${url}/?order=${id}`)).body).toEqual({ status: 202, location: null })
})

test('nothing of the payment changes, and it may have ended', async () => {
  const { url, asked } = await shop((_, response) => response.end())
  const { id } = await account.payHosted({ return_url: url })
  await account.trigger(id, 'fail')
  const before = await account.read(id)
  for (const _ of [1, 2]) expect((await account.control('POST', `/payments/${id}/return`)).status).toBe(200)
  expect(await account.read(id)).toEqual(before)
  expect(asked).toHaveLength(2)
})

test('without a return_url it is refused', async () => {
  expectError(await goBack(undefined), 422, 'invalid_state')
  const { id } = await account.pay('probe_qr')
  expectError(await account.control('POST', `/payments/${id}/return`), 422, 'invalid_state')
})

const refused: [what: string, url: () => string | Promise<string>, why: RegExp][] = [
  ['the merchant API', () => `${server().url}/payment_intents`, /points to paysim itself/],
  ['the control surface', () => `${server().controlUrl}/health`, /points to paysim itself/],
  [
    'its own port at another name',
    () => server().url.replace('127.0.0.1', 'localhost'),
    /points to paysim itself/,
  ],
  [
    'its own port at another address',
    () => server().url.replace('127.0.0.1', '127.1.2.3'),
    /points to paysim itself/,
  ],
  [
    'its own port as a number',
    () => server().url.replace('127.0.0.1', '0x7f000001'),
    /points to paysim itself/,
  ],
  ['another machine', () => 'https://shop.example/thanks', /start with --allow-webhooks shop.example/],
  ['a private address', () => 'http://10.0.0.1/', /start with --allow-webhooks 10.0.0.1/],
  ['a metadata service', () => 'http://169.254.169.254/latest', /metadata service/],
  [
    'a port where nothing listens',
    async () => `http://127.0.0.1:${await claimedPort()}/`,
    /cannot be opened: .*ECONNREFUSED/,
  ],
]

test.each(refused)('a return_url at %s is refused', async (_, url, why) => {
  const answer = await goBack(await url())
  expectError(answer, 422, 'invalid_state')
  expect(answer.body.error.message).toMatch(why)
})

test('its own port is refused, whatever addresses are allowed', async () => {
  const open = await ownServer({ args: ['--allow-webhooks', '0.0.0.0/0', '--allow-webhooks', '::/0'] })
  const seller = await openAccount(open)
  const { port } = new URL(open.url)
  for (const host of ['0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '127.0.0.1']) {
    const answer = await goBack(`http://${host}:${port}/`, seller)
    expect(answer.body.error?.message, host).toMatch(/points to paysim itself/)
  }
})

test('an application that never answers is given up', async () => {
  const { url, asked } = await shop(() => {})
  const answer = await goBack(url)
  expectError(answer, 422, 'invalid_state')
  expect(answer.body.error.message).toContain('did not answer within 5 s')
  expect(asked).toHaveLength(1)
})
