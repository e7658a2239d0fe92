import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { contractServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectFresh, expectInvalid, expectReplay } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { attach, storeAsset } from '../../support/payments/receipts.ts'
import { discovering, hosted, paying } from '../../support/payments/requests.ts'

/** The switches that change what a request may be. */

const KEY = { 'idempotency-key': 'k' }

describe('with another create path, strict members and required keys', () => {
  const server = contractServer({
    'create.path': '/v2/charges',
    'create.idempotency': 'required',
    'strict.unknown_members': 'reject',
    'strict.nulls': 'absent',
    'create.merchant_reference': 'optional',
  })
  let account: Account
  beforeAll(async () => {
    account = await openAccount(server())
  })
  let keys = 0
  const create = (body: unknown) => {
    keys += 1
    return account.call('POST', '/v2/charges', { body, headers: { 'idempotency-key': `n-${keys}` } })
  }

  test('create.path moves creation only', async () => {
    const made = await create(hosted())
    expect(made.status, made.text).toBe(201)
    expect((await account.read(made.body.id)).id).toBe(made.body.id)
    expectError(
      await account.call('POST', '/payment_intents', { body: hosted(), headers: KEY }),
      404,
      'not_found',
    )
    const other = await account.call('GET', '/v2/charges')
    expectError(other, 405, 'method_not_allowed')
    expect(other.headers.get('allow')).toContain('POST')
  })

  test('create.idempotency = required refuses a creation without a key', async () => {
    const answer = await account.call('POST', '/v2/charges', { body: hosted() })
    expectError(answer, 400, 'validation_failed')
    expect(answer.text).toMatch(/idempotency-key/i)
    const first = await account.call('POST', '/v2/charges', { body: hosted(), headers: KEY })
    expectFresh(first, 201)
    expectReplay(await account.call('POST', '/v2/charges', { body: hosted(), headers: KEY }), first)
  })

  test('strict.unknown_members = reject names each unknown member', async () => {
    expectInvalid(await create(hosted({ colour: 'red', size: 5 })), 'colour', 'size')
    const made = await create(paying('probe_receipt'))
    const asset_id = await storeAsset(account, png())
    expectInvalid(await attach(account, made.body.id, { asset_id, note: 'x' }), 'note')
    expect((await attach(account, made.body.id, { asset_id })).status).toBe(200)
  })

  test('strict.nulls = absent accepts null for optional fields', async () => {
    const made = await create(
      hosted({
        checkout_mode: null,
        payment_method: null,
        payment_method_options: null,
        return_url: null,
        customer: { name: null, phone: null, email: null },
      }),
    )
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({ checkout_mode: 'hosted', payment_method: null })
  })

  test('strict.nulls = absent still requires required fields', async () => {
    expectInvalid(await create(hosted({ amount: null, customer: null })), 'amount', 'customer')
    expectInvalid(await create(paying('', { payment_method: null })), 'payment_method')
  })

  test('create.merchant_reference = optional accepts a missing one but validates a given one', async () => {
    expect((await create(hosted({ merchant_reference: undefined }))).status).toBe(201)
    expectInvalid(await create(hosted({ merchant_reference: '' })), 'merchant_reference')
    expectInvalid(await create(hosted({ merchant_reference: 'r'.repeat(257) })), 'merchant_reference')
    expect((await create(hosted({ merchant_reference: 'r'.repeat(256) }))).status).toBe(201)
  })
})

describe('with idempotency keys turned off on creation', () => {
  const server = contractServer({
    'create.idempotency': 'off',
    'methods.denied_mode': 'empty',
    'methods.payer_keys': 'relevant',
    'methods.banks_empty': 'omit',
  })
  let account: Account
  beforeAll(async () => {
    account = await openAccount(server())
  })

  test('create.idempotency = off creates each time and does not validate the key', async () => {
    const create = (body: unknown, key: string) =>
      account.call('POST', '/payment_intents', { body, headers: { 'idempotency-key': key } })
    const first = await create(hosted(), 'k')
    const second = await create(hosted(), 'k')
    expectFresh(second, 201)
    expect(second.body.id).not.toBe(first.body.id)
    expectFresh(await create(hosted({ amount: '15001' }), 'k'), 201)
    expectFresh(await create(hosted(), 'k'.repeat(256)), 201)
  })

  test('create.idempotency = off does not affect keys of cancel-pending', async () => {
    const { id } = await account.pay('probe_transfer')
    const first = await account.cancel(id, KEY)
    expectReplay(await account.cancel(id, KEY), first)
  })

  test('methods.denied_mode = empty finds nothing in a denied mode', async () => {
    const denied = await openAccount(server(), { checkout_modes: ['hosted'] })
    const answer = await denied.call('GET', discovering({ checkout_mode: 'merchant' }))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ country: 'TH', currency: 'THB', environment: 'test', methods: [] })
    expectError(
      await denied.call('POST', '/payment_intents', { body: paying('probe_transfer') }),
      403,
      'checkout_mode_not_allowed',
    )
  })

  test('methods.payer_keys = relevant lists only the fields of the route', async () => {
    expect((await options('probe_transfer')).payer).toEqual({})
    expect((await options('probe_optional')).payer).toEqual({
      customer_name: { required: true },
      account_number: { required: false },
    })
  })

  test('methods.banks_empty = omit leaves out only empty lists', async () => {
    expect(await options('probe_transfer')).not.toHaveProperty('banks')
    expect((await options('probe_form')).banks).toHaveLength(1)
  })

  async function options(code: string) {
    const { methods } = (await account.call('GET', discovering())).body
    return methods.find((method: { code: string }) => method.code === code).options
  }
})
