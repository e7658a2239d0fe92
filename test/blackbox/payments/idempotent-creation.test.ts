import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectFresh, expectInvalid, expectReplay } from '../../support/http/answers.ts'
import { freshKey } from '../../support/payments/receipts.ts'
import { hosted, paying } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const create = (key: string, body: unknown, asker = account) =>
  asker.call('POST', '/payment_intents', { body, headers: { 'idempotency-key': key } })

const createText = (key: string, raw: string) =>
  account.call('POST', '/payment_intents', {
    raw,
    headers: { 'idempotency-key': key, 'content-type': 'application/json' },
  })

describe('a repeated creation', () => {
  test('with its key gets the first answer, byte for byte, and creates nothing', async () => {
    const own = await openAccount(server())
    const first = await create('k', paying('probe_transfer'), own)
    expectFresh(first, 201)
    const again = await create('k', paying('probe_transfer'), own)
    expectReplay(again, first)
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
    const kept = await own.control('GET', '/payments')
    expect(new Set(kept.text.match(/pi_[0-9A-Za-z]{24}/g)).size).toBe(1)
  })

  test('with its key gets the first answer even after the intent has failed', async () => {
    const key = freshKey()
    const first = await create(key, paying('probe_transfer'))
    await account.trigger(first.body.id, 'fail')
    expectReplay(await create(key, paying('probe_transfer')), first)
    expect((await account.read(first.body.id)).status).toBe('failed')
  })

  test('without a key creates another payment', async () => {
    const [first, second] = [await account.payHosted(), await account.payHosted()]
    expect(second.id).not.toBe(first.id)
  })

  test('with another key creates another payment', async () => {
    const first = await create(freshKey(), hosted())
    const second = await create(freshKey(), hosted())
    expectFresh(second, 201)
    expect(second.body.id).not.toBe(first.body.id)
  })
})

describe('a body counts as the same if it is equal JSON', () => {
  const body = { ...hosted(), customer: { name: 'A é', email: 'a@b' } }

  test.each([
    ['its members in another order', JSON.stringify(Object.fromEntries(Object.entries(body).reverse()))],
    [
      'the members of an object inside in another order',
      JSON.stringify({ ...body, customer: { email: 'a@b', name: 'A é' } }),
    ],
    ['other whitespace', `\n\t${JSON.stringify(body, undefined, 4)}\r\n `],
    ['letters written as escapes', JSON.stringify(body).replace('A é', '\\u0041 \\u00e9')],
  ])('%s', async (_, text) => {
    const key = freshKey()
    const first = await create(key, body)
    expect(first.status).toBe(201)
    expectReplay(await createText(key, text), first)
  })

  test.each([
    ['another amount', { amount: '15001' }],
    ['another reference', { merchant_reference: 'order-2' }],
    ['a reference that differs in case', { merchant_reference: 'Order-1' }],
    ['another customer', { customer: { name: 'B' } }],
    ['a member less', { customer: {} }],
    ['a member more', { return_url: 'https://shop.example/' }],
  ])('but not %s: 409 idempotency_conflict', async (_, changes) => {
    const key = freshKey()
    const first = await create(key, body)
    expectError(await create(key, { ...body, ...changes }), 409, 'idempotency_conflict')
    expectReplay(await create(key, body), first)
  })
})

describe('the key is remembered', () => {
  test('for 24 hours: 23:59:59 replays, 24:00:00 creates', async () => {
    const own = await openAccount(server())
    const first = await create('day', hosted(), own)
    await own.advance('23h59m59s')
    expectReplay(await create('day', hosted(), own), first)
    expectError(await create('day', hosted({ amount: '1' }), own), 409, 'idempotency_conflict')
    await own.advance('1s')
    const second = await create('day', hosted({ amount: '15002' }), own)
    expectFresh(second, 201)
    expect(second.body.id).not.toBe(first.body.id)
    expectReplay(await create('day', hosted({ amount: '15002' }), own), second)
  })

  test('from the first request, not from its replays', async () => {
    const own = await openAccount(server())
    const first = await create('day', hosted(), own)
    await own.advance('20h')
    expectReplay(await create('day', hosted(), own), first)
    await own.advance('4h')
    expectFresh(await create('day', hosted(), own), 201)
  })

  test('not when the request was refused with 400', async () => {
    const key = freshKey()
    expectInvalid(await create(key, hosted({ amount: '0' })), 'amount')
    expectError(await createText(key, '{'), 400, 'validation_failed')
    expectFresh(await create(key, hosted()), 201)
  })
})

describe('a key applies to one merchant, environment and path', () => {
  test('another merchant can use the same key', async () => {
    const other = await openAccount(server())
    const first = await create('shared', hosted())
    const second = await create('shared', hosted({ amount: '777' }), other)
    expectFresh(second, 201)
    expect(second.body.id).not.toBe(first.body.id)
  })

  test('the other environment can use the same key', async () => {
    const own = await openMerchant(server())
    const first = await create('shared', hosted(), own.test)
    const second = await create('shared', hosted({ amount: '777' }), own.live)
    expectFresh(second, 201)
    expect(second.body.environment).toBe('live')
    expectReplay(await create('shared', hosted(), own.test), first)
  })

  test('another operation can use the same key', async () => {
    const key = freshKey()
    const made = await create(key, paying('probe_transfer'))
    expectFresh(await account.cancel(made.body.id, { 'idempotency-key': key }), 202)
  })

  test('the same operation on another intent can use the same key', async () => {
    const key = freshKey()
    const [first, second] = [await account.pay('probe_transfer'), await account.pay('probe_transfer')]
    expectFresh(await account.cancel(first.id, { 'idempotency-key': key }), 202)
    const answer = await account.cancel(second.id, { 'idempotency-key': key })
    expectFresh(answer, 202)
    expect(answer.body.id).toBe(second.id)
  })

  test('a second key pair is the same merchant', async () => {
    const own = await openAccount(server())
    const first = await create('pairs', hosted(), own)
    const pair = (await own.control('POST', '/keys', { body: {} })).body
    const again = await server().as(pair)('POST', '/payment_intents', {
      body: hosted(),
      headers: { 'idempotency-key': 'pairs' },
    })
    expectReplay(again, first)
  })
})

describe('the format of a key', () => {
  test.each([
    ['one character', 'k'],
    ['255 characters', 'k'.repeat(255)],
    ['no UUID', 'order 17 / try #2'.replaceAll(' ', '_')],
    ['every printable sign', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
    ['a UUID', '3f1c9a52-8d7e-4b60-9c1d-2a5e6f708192'],
    ['a member of every object', '__proto__'],
  ])('%s is accepted and replays', async (_, key) => {
    const own = await openAccount(server())
    const first = await create(key, hosted(), own)
    expectFresh(first, 201)
    expectReplay(await create(key, hosted(), own), first)
  })

  test.each([
    ['256 characters', 'k'.repeat(256)],
    ['none', ''],
    ['a letter outside ASCII', 'clé'],
    ['a tab inside', 'a\tb'],
  ])('%s is refused', async (_, key) => {
    const answer = await create(key, hosted())
    expectError(answer, 400, 'validation_failed')
    expect(answer.text).toMatch(/idempotency-key/i)
  })

  test('upper and lower case are different keys', async () => {
    const first = await create('Case', hosted())
    const second = await create('case', hosted({ amount: '15003' }))
    expectFresh(second, 201)
    expect(second.body.id).not.toBe(first.body.id)
  })
})
