import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Merchant, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import {
  expectCleanAnswer,
  expectError,
  expectFresh,
  expectInvalid,
  expectReplay,
} from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { attach, freshKey, storeAsset, upload } from '../../support/payments/receipts.ts'
import { hosted, paying } from '../../support/payments/requests.ts'

/** The order of `errors.precedence`, by requests that break two rules at once. */

const server = sharedServer()
let merchant: Merchant
let account: Account
let restricted: Account

beforeAll(async () => {
  merchant = await openMerchant(server())
  account = merchant.test
  restricted = await openAccount(server(), { checkout_modes: ['hosted'] })
})

const json = { 'content-type': 'application/json' }
const create = (body: unknown, asker = account) => asker.call('POST', '/payment_intents', { body })
const settled = async (method: string) => {
  const made = await account.pay(method)
  await account.trigger(made.id, 'succeed')
  return made.id as string
}

describe('401 comes before', () => {
  test.each([
    ['a missing content type', '/payment_intents/pi_none/cancel-pending', {}],
    ['malformed JSON', '/payment_intents', { raw: '{', headers: json }],
    ['a body above the cap', '/payment_intents', { raw: ' '.repeat(9_000_000), headers: json }],
    ['an unknown record', '/payment_intents/pi_none/cancel-pending', { headers: json }],
    ['an invalid field', '/payment_intents', { body: {} }],
  ])('%s', async (_, path, options) => {
    const answer = await server().call('POST', path, { ...options, anonymous: true })
    expectError(expectCleanAnswer(answer), 401, 'unauthorized')
  })
})

describe('syntax comes before', () => {
  test('404: a missing content type on an unknown record', async () => {
    const answer = await account.call('POST', '/payment_intents/pi_none/cancel-pending')
    expectError(answer, 415, 'unsupported_media_type')
  })

  test('404: malformed JSON on an unknown record', async () => {
    for (const operation of ['cancel-pending', 'receipt']) {
      const path = `/payment_intents/pi_none/${operation}`
      expectError(await account.call('POST', path, { raw: '{', headers: json }), 400, 'validation_failed')
    }
  })

  test('404: a body above the cap on an unknown record', async () => {
    const answer = await upload(account, 'pi_none', Buffer.alloc(9 * 1024 * 1024))
    expectError(answer, 413, 'payload_too_large')
  })

  test('403: malformed JSON from a merchant without that checkout mode', async () => {
    const answer = await restricted.call('POST', '/payment_intents', {
      raw: '{"checkout_mode":"merchant"',
      headers: json,
    })
    expectError(answer, 400, 'validation_failed')
  })
})

describe('404 comes before', () => {
  test('the field rules: an invalid asset_id on an unknown record', async () => {
    expectError(await attach(account, 'pi_none', { asset_id: 5 }), 404, 'not_found')
    expectError(await attach(account, 'pi_none', {}), 404, 'not_found')
  })

  test('the state: an unknown asset for an intent that is no longer pending', async () => {
    const done = await settled('probe_receipt')
    expectError(await attach(account, done, { asset_id: 'ast_none' }), 404, 'not_found')
  })
})

describe('the field rules come before', () => {
  test('403: a bad amount in a denied mode', async () => {
    expectInvalid(await create(paying('probe_transfer', { amount: '0' }), restricted), 'amount')
  })

  test('409: a bad amount under a used key', async () => {
    const headers = { 'idempotency-key': freshKey() }
    await account.call('POST', '/payment_intents', { body: hosted(), headers })
    const answer = await account.call('POST', '/payment_intents', { body: hosted({ amount: '0' }), headers })
    expectInvalid(answer, 'amount')
  })

  test('the state: a missing asset_id for an intent that is no longer pending', async () => {
    expectInvalid(await attach(account, await settled('probe_receipt'), {}), 'asset_id')
  })

  test('the capability: a missing asset_id for an intent without receipts', async () => {
    expectInvalid(await attach(account, (await account.pay('probe_transfer')).id, {}), 'asset_id')
  })

  test('the state: an upload of a non-image, or with a key that is too long', async () => {
    const done = await settled('probe_receipt')
    const refused = await upload(account, done, Buffer.from('text'))
    expectInvalid(refused, 'file')
    expectError(await upload(account, done, png(), { key: 'k'.repeat(256) }), 400, 'validation_failed')
  })

  test('routing: a bad reference with an unknown method', async () => {
    expectInvalid(await create(paying('no_such_method', { merchant_reference: '' })), 'merchant_reference')
  })
})

describe('an idempotent replay comes before 403', () => {
  test('so a payment made while the mode was allowed is replayed, and a new key is refused', async () => {
    const own = await openMerchant(server())
    const repeat = (key: string, changes = {}) =>
      own.test.call('POST', '/payment_intents', {
        body: paying('probe_transfer', changes),
        headers: { 'idempotency-key': key },
      })
    const first = await repeat('first')
    expect(first.status).toBe(201)
    const path = `/merchants/${own.id}`
    await server().control('PATCH', path, { body: { checkout_modes: ['hosted'] } })
    expectReplay(await repeat('first'), first)
    expectError(await repeat('first', { amount: '777' }), 409, 'idempotency_conflict')
    expectError(await repeat('second'), 403, 'checkout_mode_not_allowed')
    await server().control('PATCH', path, { body: { checkout_modes: ['hosted', 'merchant'] } })
    expectFresh(await repeat('second'), 201)
  })
})

describe('403 comes before', () => {
  test.each([
    ['an unknown method', paying('no_such_method')],
    ['no route', paying('probe_sick')],
    ['fields that the route requires', paying('probe_form', { customer: {} })],
    ['an unknown bank', paying('probe_banks', { payment_method_options: { bank: 'none' } })],
  ])('%s', async (_, body) => {
    expectError(await create(body, restricted), 403, 'checkout_mode_not_allowed')
  })
})

describe('an idempotent replay comes before', () => {
  test('the state, for cancel-pending', async () => {
    const { id } = await account.pay('probe_transfer')
    const headers = { 'idempotency-key': freshKey() }
    const first = await account.cancel(id, headers)
    expect(first.status).toBe(202)
    await account.trigger(id, 'succeed')
    expectReplay(await account.cancel(id, headers), first)
    expectError(await account.cancel(id), 422, 'invalid_state')
  })

  test('the state, for a receipt, and so does the conflict', async () => {
    const { id } = await account.pay('probe_receipt')
    const key = freshKey()
    const first = await upload(account, id, png(1), { key })
    await account.trigger(id, 'succeed')
    expectReplay(await upload(account, id, png(1), { key }), first)
    expectError(await upload(account, id, png(2), { key }), 409, 'idempotency_conflict')
    expectError(await upload(account, id, png(2)), 422, 'invalid_state')
  })

  test('an unknown bank, for a creation', async () => {
    const own = await openAccount(server())
    const body = paying('probe_banks', { payment_method_options: { bank: 'beta' } })
    const repeat = (key: string) =>
      own.call('POST', '/payment_intents', { body, headers: { 'idempotency-key': key } })
    const first = await repeat('first')
    const catalogue = (await own.control('GET', '/catalogue')).body
    const put = await own.control('PUT', '/catalogue', { body: withoutBank(catalogue, 'beta') })
    expect(put.status, put.text).toBe(200)
    expectReplay(await repeat('first'), first)
    expectInvalid(await repeat('second'), 'payment_method_options.bank')
  })

  test('routing, for a creation', async () => {
    const own = await openAccount(server())
    const headers = { 'idempotency-key': freshKey() }
    const repeat = () => own.call('POST', '/payment_intents', { body: paying('probe_long_named'), headers })
    const first = await repeat()
    const catalogue = (await own.control('GET', '/catalogue')).body
    for (const { id } of catalogue.providers) await own.setHealth(id, false)
    expectReplay(await repeat(), first)
  })
})

// biome-ignore lint/suspicious/noExplicitAny: the catalogue as it came
function withoutBank({ providers, methods, routes }: any, gone: string) {
  const codes = (banks: Record<string, string>) =>
    Object.fromEntries(Object.entries(banks).filter(([code]) => code !== gone))
  return {
    providers,
    // biome-ignore lint/suspicious/noExplicitAny: the catalogue as it came
    methods: methods.map((method: any) => ({
      ...method,
      banks: method.banks.filter(({ code }: { code: string }) => code !== gone),
    })),
    // biome-ignore lint/suspicious/noExplicitAny: the catalogue as it came
    routes: routes.map((route: any) => ({ ...route, banks: codes(route.banks) })),
  }
}

describe('an unknown bank comes before configuration and routing', () => {
  test.each([
    [
      'no route for the amount',
      paying('probe_banks', { amount: '99', payment_method_options: { bank: 'x' } }),
    ],
    [
      'fields that the route requires',
      paying('probe_form', { customer: {}, payment_method_options: { bank: 'x' } }),
    ],
  ])('%s', async (_, body) => {
    expectInvalid(await create(body), 'payment_method_options.bank')
  })
})

describe('the state comes before the capability', () => {
  test('of cancel-pending', async () => {
    expectError(await account.cancel(await settled('probe_fixed')), 422, 'invalid_state')
  })

  test('of receipts', async () => {
    const done = await settled('probe_transfer')
    expectError(await upload(account, done, png()), 422, 'invalid_state')
    const asset_id = await storeAsset(account, png())
    expectError(await attach(account, done, { asset_id }), 422, 'invalid_state')
  })
})

describe('the fields that the route requires come last: after', () => {
  test.each([
    [
      'a bank without execution',
      'payment_configuration_unavailable',
      paying('probe_form', { customer: {}, payment_method_options: { bank: 'omega' } }),
    ],
    ['no route', 'routing_unavailable', paying('probe_form', { customer: {}, amount: '99' })],
    [
      'a bank at an unhealthy provider',
      'routing_unavailable',
      paying('probe_banks', { customer: {}, payment_method_options: { bank: 'delta' } }),
    ],
  ])('%s', async (_, code, body) => {
    expectError(await create(body), 422, code)
  })
})
