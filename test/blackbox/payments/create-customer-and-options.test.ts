import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectInvalid } from '../../support/http/answers.ts'
import { fillingTheForm, hosted, paying } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const create = (body: unknown) => account.call('POST', '/payment_intents', { body })

describe('customer', () => {
  test.each([
    ['name', ''],
    ['name', 'n'.repeat(257)],
    ['name', 5],
    ['name', null],
    ['name', {}],
    ['phone', ''],
    ['phone', '1'.repeat(257)],
    ['phone', 66812345678],
    ['phone', null],
    ['email', ''],
    ['email', `${'e'.repeat(252)}@a.th`],
    ['email', 'somchai.example.com'],
    ['email', 5],
    ['email', null],
    ['email', ['a@b']],
  ])('%s = %j is refused', async (field, value) => {
    expectInvalid(await create(hosted({ customer: { [field]: value } })), `customer.${field}`)
  })

  test.each([
    ['nothing, where the route needs nothing', {}],
    ['one character each', { name: 'n', phone: '1', email: '@' }],
    [
      '256 characters each',
      { name: 'n'.repeat(256), phone: '1'.repeat(256), email: `${'e'.repeat(251)}@a.th` },
    ],
    ['256 emoji', { name: '🧾'.repeat(256) }],
    ['a phone in any notation', { phone: '(02) 123-4567 ext. 8' }],
  ])('%s is accepted', async (_, customer) => {
    await account.payHosted({ customer })
    await account.pay('probe_transfer', { customer })
  })

  test('never appears in an answer', async () => {
    const made = await create(paying('probe_transfer', { customer: { name: 'Khun Unmistakable' } }))
    expect(made.status).toBe(201)
    expect(made.body).not.toHaveProperty('customer')
  })
})

describe('payment_method_options', () => {
  test('without a payment_method are refused', async () => {
    const answer = await create(hosted({ payment_method_options: { bank: 'alpha' } }))
    expectInvalid(answer, 'payment_method_options')
  })

  test('without a payment_method are refused even when empty', async () => {
    expectInvalid(await create(hosted({ payment_method_options: {} })), 'payment_method_options')
  })

  test.each([[null], [[]], ['alpha'], [7], [true]])(
    '%j is refused: not an object',
    async payment_method_options => {
      expectInvalid(
        await create(paying('probe_transfer', { payment_method_options })),
        'payment_method_options',
      )
    },
  )

  test.each([
    'colour',
    'customer_name',
    'customer_phone',
    'Bank',
    'banks',
    'payer',
    'constructor',
    'toString',
  ])('the key %s is unknown', async key => {
    const payment_method_options = { [key]: 'red' }
    const answer = await create(paying('probe_transfer', { payment_method_options }))
    expectInvalid(answer, `payment_method_options.${key}`)
  })

  test('options.payer from discovery is refused as a value', async () => {
    const payment_method_options = { account_name: { required: true }, customer_name: { required: true } }
    expectInvalid(
      await create(paying('probe_transfer', { payment_method_options })),
      'payment_method_options.account_name',
      'payment_method_options.customer_name',
    )
  })

  test.each(['account_name', 'account_number', 'bank', 'name_th'])('%s must be a string', async key => {
    for (const value of [5, null, true, [], {}]) {
      const answer = await create(paying('probe_form', { payment_method_options: { [key]: value } }))
      expectInvalid(answer, `payment_method_options.${key}`)
    }
  })

  test.each(['account_name', 'account_number', 'name_th'])(
    '%s is accepted by a route that does not need it',
    async key => {
      await account.pay('probe_transfer', { payment_method_options: { [key]: '1234567890' } })
    },
  )

  test('are never returned', async () => {
    const made = await account.pay('probe_transfer', {
      payment_method_options: { account_number: '5550199123' },
    })
    expect(JSON.stringify(made)).not.toContain('5550199123')
    expect(made).not.toHaveProperty('payment_method_options')
  })
})

describe('the bank', () => {
  test.each(['alpha', 'beta', 'gamma'])('%s is accepted because a healthy route maps it', async bank => {
    const made = await account.pay('probe_banks', { payment_method_options: { bank } })
    expect(made.payment_method).toBe('probe_banks')
  })

  test.each(['nobank', 'ALPHA', 'alpha ', 'The alpha', '__proto__'])(
    '%s, which the method does not list, is an unknown option value',
    async bank => {
      const answer = await create(paying('probe_banks', { payment_method_options: { bank } }))
      expectInvalid(answer, 'payment_method_options.bank')
    },
  )

  test("a provider's own code for a bank is an unknown value", async () => {
    const bank = 'zqlocal-A1'
    const { status, body } = await server().as(account.keys)('POST', '/payment_intents', {
      body: paying('probe_banks', { payment_method_options: { bank } }),
    })
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'validation_failed' })
  })

  test('that no route maps: payment_configuration_unavailable', async () => {
    const answer = await create(paying('probe_banks', { payment_method_options: { bank: 'omega' } }))
    expectError(answer, 422, 'payment_configuration_unavailable')
  })

  test('whose only route is unhealthy: routing_unavailable', async () => {
    const answer = await create(paying('probe_banks', { payment_method_options: { bank: 'delta' } }))
    expectError(answer, 422, 'routing_unavailable')
  })
})

describe('the fields that the route requires', () => {
  test('are sufficient when all are given', async () => {
    const made = await create(fillingTheForm())
    expect(made.status, made.text).toBe(201)
  })

  test('are all listed when missing, by their names in the create request', async () => {
    const answer = await create(paying('probe_form', { customer: {} }))
    expectInvalid(
      answer,
      'customer.name',
      'customer.phone',
      'payment_method_options.account_name',
      'payment_method_options.account_number',
      'payment_method_options.bank',
      'payment_method_options.name_th',
    )
  })

  test.each([
    ['customer', 'name'],
    ['customer', 'phone'],
    ['payment_method_options', 'account_name'],
    ['payment_method_options', 'account_number'],
    ['payment_method_options', 'bank'],
    ['payment_method_options', 'name_th'],
  ])('%s.%s is named alone if only it is missing', async (parent, field) => {
    const body = fillingTheForm()
    body[parent] = Object.fromEntries(
      Object.entries(body[parent] as Record<string, string>).filter(([name]) => name !== field),
    )
    expectInvalid(await create(body), `${parent}.${field}`)
  })

  test('are also required of a hosted intent with a method', async () => {
    const answer = await create(hosted({ payment_method: 'probe_optional', customer: {} }))
    expectInvalid(answer, 'customer.name')
  })

  test('are not required of a hosted intent without a method', async () => {
    expect((await account.payHosted({ customer: {} })).payment_method).toBeNull()
  })

  test('do not include fields that the route only accepts', async () => {
    await account.pay('probe_optional', { customer: { name: 'Somchai' } })
    const answer = await create(paying('probe_optional', { customer: {} }))
    expectInvalid(answer, 'customer.name')
  })
})
