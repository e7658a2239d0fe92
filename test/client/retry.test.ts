import { describe, expect, test } from 'vitest'
import { ApiError, ConnectError } from '../../src/client/index.ts'
import { clientFor, ORDER, PAYMENT, refusal } from '../support/client/client.ts'
import { closedPort, json, nestedError, type Respond, serve } from '../support/client/server.ts'

/** Fails so many times, and then succeeds. */
const failing =
  (times: number, fail: Respond): Respond =>
  (response, seen, count) =>
    count <= times ? fail(response, seen, count) : json(response, PAYMENT)
const drop: Respond = response => response.socket?.destroy()
const status =
  (code: number, headers = {}): Respond =>
  response =>
    json(response, nestedError('rate_limited'), code, headers)

describe('a read', () => {
  test.each([429, 502, 503, 504])('is repeated after %i', async code => {
    const server = await serve(failing(2, status(code)))
    const answer = await clientFor(server.url).payments.get('pi_1').answer()
    expect(answer.attempts).toBe(3)
  })

  test.each([400, 401, 404, 409, 422, 500, 501])('is not repeated after %i', async code => {
    const server = await serve(status(code))
    await refusal(clientFor(server.url).payments.get('pi_1'), ApiError)
    expect(server.seen).toHaveLength(1)
  })

  test('is repeated when its connection breaks', async () => {
    const server = await serve(failing(1, drop))
    expect(await clientFor(server.url).payments.get('pi_1')).toEqual(PAYMENT)
  })

  test('fails with the last answer after the last retry', async () => {
    const server = await serve(status(503))
    const client = clientFor(server.url, { retries: 2 })
    const error = await refusal(client.payouts.list(), ApiError)
    expect(error).toMatchObject({ status: 503 })
    expect(error.answer.attempts).toBe(3)
    expect(server.seen).toHaveLength(3)
  })

  test('is made once when retries are off', async () => {
    const server = await serve(status(503))
    await refusal(clientFor(server.url, { retries: 0 }).payouts.list(), ApiError)
    expect(server.seen).toHaveLength(1)
  })
})

describe('a call that changes something, without a key', () => {
  test.each([
    ['creating', (url: string) => clientFor(url).payments.create(ORDER)],
    ['cancelling a payment', (url: string) => clientFor(url).payments.cancelPending('pi_1')],
    ['cancelling a payout', (url: string) => clientFor(url).payouts.cancel('po_1')],
    ['any other', (url: string) => clientFor(url).request('POST', '/x', { body: {} })],
  ])('is never repeated when it may have arrived: %s', async (_, make) => {
    for (const fail of [drop, status(503), status(429)]) {
      const server = await serve(failing(1, fail))
      await refusal(make(server.url), Error)
      expect(server.seen).toHaveLength(1)
    }
  })

  test('says that it may have been carried out', async () => {
    const server = await serve(drop)
    const error = await refusal(clientFor(server.url).payments.create(ORDER), ConnectError)
    expect(error).toMatchObject({ sent: true })
    expect(error.message).toContain('may have been carried out')
  })

  test('is repeated when nothing was sent', async () => {
    const client = clientFor(`http://127.0.0.1:${await closedPort()}`)
    const error = await refusal(client.payments.create(ORDER), ConnectError)
    expect(error).toMatchObject({ code: 'ECONNREFUSED', sent: false })
    expect(client.records).toHaveLength(4)
  })
})

describe('a call with a key', () => {
  test('is repeated with the same key and the same body', async () => {
    const server = await serve(failing(1, drop))
    const call = clientFor(server.url).payments.create(ORDER, { idempotencyKey: 'k-1' })
    expect(call.idempotencyKey).toBe('k-1')
    expect(await call).toEqual(PAYMENT)
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-1'])
    expect(server.seen[1]?.body).toEqual(server.seen[0]?.body)
  })

  test('is repeated while the first call with that key is in progress', async () => {
    const server = await serve(failing(2, r => json(r, { code: 'idempotency_in_progress' }, 409)))
    await clientFor(server.url).payments.cancel('pi_1', { idempotencyKey: 'k-2' })
    expect(server.seen).toHaveLength(3)
  })

  test('is not repeated on a conflict', async () => {
    const server = await serve(response => json(response, nestedError('idempotency_conflict'), 409))
    await refusal(clientFor(server.url).payments.create(ORDER, { idempotencyKey: 'k-3' }), ApiError)
    expect(server.seen).toHaveLength(1)
  })

  test('may have the key among the headers of request()', async () => {
    const server = await serve(failing(1, drop))
    const headers = { 'Idempotency-Key': 'k-4' }
    await clientFor(server.url).request('POST', '/x', { body: '{"raw": 1}', headers })
    expect(server.seen.map(({ body }) => String(body))).toEqual(['{"raw": 1}', '{"raw": 1}'])
  })
})

test('repeats the submission of an asset, which is safe by itself', async () => {
  const server = await serve(failing(1, drop))
  await clientFor(server.url).payments.submitReceipt('pi_1', { assetId: 'ast_1' })
  expect(server.seen.map(({ body }) => String(body))).toEqual([
    '{"asset_id":"ast_1"}',
    '{"asset_id":"ast_1"}',
  ])
})

describe('the pauses', () => {
  test('double, up to a bound', async () => {
    const server = await serve(status(503))
    const client = clientFor(server.url, { retries: 8 })
    await refusal(client.payouts.list(), ApiError)
    expect(client.pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000])
  })

  test('are random, between zero and that', async () => {
    const server = await serve(failing(2, status(503)))
    const chances = [0, 0.5]
    const client = clientFor(server.url, { random: () => chances.shift() ?? 1 })
    await client.payments.get('pi_1')
    expect(client.pauses).toEqual([0, 250])
  })

  test('are at least what Retry-After asks for', async () => {
    const server = await serve(failing(1, status(429, { 'retry-after': '7' })))
    const client = clientFor(server.url)
    await client.payments.get('pi_1')
    expect(client.pauses).toEqual([7250])
  })

  test('honour a Retry-After that is a date', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString()
    const server = await serve(failing(1, status(503, { 'retry-after': date })))
    const client = clientFor(server.url)
    await client.payments.get('pi_1')
    expect(client.pauses[0]).toBeGreaterThan(20_000)
  })

  test('are not made for a Retry-After that is too long: the answer is returned instead', async () => {
    const server = await serve(status(503, { 'retry-after': '86400' }))
    const client = clientFor(server.url)
    await refusal(client.payouts.list(), ApiError)
    expect(client.pauses).toEqual([])
  })

  test('end when the call is aborted', async () => {
    const server = await serve(status(503))
    const ending = new AbortController()
    const client = clientFor(server.url, { sleep: async () => ending.abort(new Error('enough')) })
    await expect(client.payouts.list({}, { signal: ending.signal })).rejects.toThrow('enough')
    expect(server.seen).toHaveLength(1)
  })
})
