import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { paymentBody, postPayment } from '../../support/payments/payments.ts'

const server = sharedServer()

const send = (account: Account, body: unknown) => account.control('POST', '/requests', { body })
const sent = (account: Account, body: unknown): Promise<Json> => succeeded(send(account, body))
const logOf = (account: Account, query = ''): Promise<Json[]> =>
  rows(account.control('GET', `/requests${query}`))
const detail = async (account: Account, id: string): Promise<Json> =>
  (await account.control('GET', `/requests/${id}`)).body

describe('a request by hand', () => {
  test('is sent as it was, with another key, or changed, and what was masked is what it was', async () => {
    const account = await openAccount(server())
    const body = paymentBody({
      merchant_reference: 'order-hand',
      payment_method_options: { account_number: '1234567890' },
    })
    const headers = { 'idempotency-key': 'key-1' }
    const first = await account.call('POST', '/payment_intents', { body, headers })
    expect(first.status, first.text).toBe(201)
    const of = first.headers.get('request-id') ?? ''

    const again = await sent(account, { of })
    expect(again).toEqual({ request_id: expect.stringMatching(/^req_/), status: 201, body: first.text })

    const shown = (await detail(account, of)).request
    expect(shown.body).toContain('…7890')
    // With the same key, any other body is a conflict.
    const masked = await sent(account, { of, body: JSON.stringify(JSON.parse(shown.body), null, 2) })
    expect(masked.status).toBe(201)
    expect((await sent(account, { of, body: shown.body.replace('…7890', '…7891') })).status).toBe(409)

    const other = await sent(account, { of, headers: { ...shown.headers, 'idempotency-key': 'key-2' } })
    expect(JSON.parse(other.body).id).not.toBe(first.body.id)
    expect((await detail(account, other.request_id)).request.headers['idempotency-key']).toBe('key-2')

    const fresh = await sent(account, { method: 'GET', path: `/payment_intents/${first.body.id}` })
    expect(fresh.status).toBe(200)
    expect((await sent(account, { of, path: '/nothing', body: '' })).status).toBe(404)
    const refused = await sent(account, { of, headers: shown.headers, body: '{"amount":' })
    expect(refused.status).toBe(400)
    const [newest] = await logOf(account)
    expect(newest).toMatchObject({
      request_id: refused.request_id,
      error: { code: 'validation_failed', message: expect.any(String) },
    })
  })

  test.each<[string, Json]>([
    ['another server', { path: 'http://example.com/payment_intents' }],
    ['another server, without a scheme', { path: 'example.com' }],
    ['the control surface', { path: '/_paysim/merchants' }],
    ['the control surface, encoded', { path: '/%5fpaysim/merchants?x=1' }],
    ['a page of the payer', { path: '/checkout/default.test/pi_1' }],
    ['a second request', { path: '/a HTTP/1.1\r\nhost: x\r\n\r\nGET /b' }],
    ['a fragment', { path: '/payment_intents#x' }],
    ['what is not encoded', { path: '/payment_intents/é' }],
    ['no path', { path: undefined }],
    ['another merchant', { headers: { Authorization: 'Basic eDp5' } }],
    ['another name', { headers: { host: 'shop.example' } }],
    ['a second length', { headers: { 'Content-Length': '1' } }],
    ['chunks', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['another process', { headers: { 'paysim-handed-on': 'control x' } }],
    ['a line in a value', { headers: { 'x-mine': 'a\r\nauthorization: Basic eDp5' } }],
    ['a line in a name', { headers: { 'x\r\ny': 'a' } }],
    ['an unknown method', { method: 'CONNECT' }],
  ])('does not reach %s', async (_, changes) => {
    const account = await openAccount(server())
    const answer = await send(account, { method: 'GET', path: '/payout_intents', ...changes })
    expect([answer.status, answer.body.error?.code], answer.text).toEqual([400, 'validation_failed'])
    expect(await logOf(account)).toEqual([])
  })

  test('stays in its account: nothing of another one is sent again, and two slashes lead nowhere', async () => {
    const [account, other] = [await openAccount(server()), await openAccount(server())]
    const theirs = await postPayment(other, paymentBody())
    const of = theirs.headers.get('request-id')
    expect((await send(account, { of })).status).toBe(404)
    const read = await sent(account, { method: 'GET', path: `/payment_intents/${theirs.body.id}` })
    expect(read.status).toBe(404)
    expect((await sent(account, { method: 'GET', path: '//127.0.0.1:9/payout_intents' })).status).toBe(404)
    expect(await logOf(other)).toHaveLength(1)
  })

  test('meets the faults of the account, and says if no answer came', async () => {
    const account = await openAccount(server())
    const on = 'POST /payment_intents'
    const faults = [
      { on, times: 1, type: 'reset', when: 'after_commit' },
      { on, type: 'truncate', when: 'after_commit' },
    ]
    await succeeded(account.control('PUT', '/faults', { body: { faults } }))
    const wanted = {
      method: 'POST',
      path: '/payment_intents',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1' },
      body: JSON.stringify(paymentBody({ merchant_reference: 'order-lost' })),
    }
    expect(await sent(account, wanted)).toEqual({ request_id: null, status: null, body: null })
    const cut = await sent(account, wanted)
    expect((await detail(account, cut.request_id)).response).toMatchObject({ whole: false })
    const log = await logOf(account, '?q=order-lost')
    expect(log.map(({ fault, reference }) => [fault?.type, reference])).toEqual([
      ['truncate', 'order-lost'],
      ['reset', 'order-lost'],
    ])
  })

  test('needs the whole body of the one before', async () => {
    const account = await openAccount(server())
    const long = await postPayment(account, { ...paymentBody(), unknown: 'x'.repeat(20_000) })
    const of = long.headers.get('request-id')
    expect((await send(account, { of })).text).toContain('only the start')
    const raw = new FormData()
    raw.set('file', new Blob(['no image']), 'receipt.png')
    const upload = await account.call('POST', `/payment_intents/${long.body.id}/receipt`, { raw })
    const refused = await send(account, { of: upload.headers.get('request-id') })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('not text')])
  })
})

test('the list says what each request was about, and why it was refused', async () => {
  const account = await openAccount(server())
  const created = await postPayment(account, paymentBody({ merchant_reference: 'order-a' }))
  const { id } = created.body
  await account.call('GET', `/payment_intents/${id}`)
  await postPayment(account, { ...paymentBody({ merchant_reference: 'order-b' }), amount: 'none' })
  await account.call('GET', '/payment_intents/pi_nothing')
  expect((await logOf(account)).map(({ reference, error }) => [reference, error?.code ?? null])).toEqual([
    [null, 'not_found'],
    ['order-b', 'validation_failed'],
    ['order-a', null],
    ['order-a', null],
  ])
  // The read names only the id.
  expect(await logOf(account, '?q=ORDER-A')).toHaveLength(2)
})
