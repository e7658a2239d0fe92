import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { FORTY_DIGITS } from '../../support/gateway/probe-catalogue.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectInvalid, expectUnroutable } from '../../support/http/answers.ts'
import { hosted, paying } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const create = (body: unknown) => account.call('POST', '/payment_intents', { body })
const EMOJI = '🧾'

describe('an invalid field is refused and named', () => {
  const mistakes: [string, unknown][] = [
    ...['amount', 'currency', 'country', 'merchant_reference', 'customer'].map((field): [string, unknown] => [
      field,
      undefined,
    ]),
    ...[
      '',
      '0',
      '00',
      '01',
      '-1',
      '+1',
      '1.5',
      '1e3',
      '0x1',
      ' 1',
      '1 ',
      '1\n',
      '1,000',
      '1_000',
      '１２',
    ].map((amount): [string, unknown] => ['amount', amount]),
    ...[15000, 1.5, true, null, [], ['15000'], {}].map((amount): [string, unknown] => ['amount', amount]),
    ...['', 'TH', 'THBTHBT', 'thb', 'Thb', 'TH8', 'TH ', 764, null, [], {}].map(
      (currency): [string, unknown] => ['currency', currency],
    ),
    ...['', 'T', 'THA', 'th', 'T1', 764, null, [], {}].map((country): [string, unknown] => [
      'country',
      country,
    ]),
    ...['', 'HOSTED', 'both', 'hosted ', 1, false, null, ['hosted'], {}].map((mode): [string, unknown] => [
      'checkout_mode',
      mode,
    ]),
    ...['', 'r'.repeat(257), EMOJI.repeat(257), 1, null, true, [], {}].map((reference): [string, unknown] => [
      'merchant_reference',
      reference,
    ]),
    ...['', 'Somchai', 1, null, true, []].map((customer): [string, unknown] => ['customer', customer]),
    ...[1, null, true, [], {}].map((method): [string, unknown] => ['payment_method', method]),
  ]

  test.each(mistakes)('%s = %j', async (field, value) => {
    expectInvalid(await create(hosted({ payment_method: 'probe_transfer', [field]: value })), field)
  })

  test.each(['ZZ', 'XX', 'AA', 'QZ', 'UK', 'SU'])(
    'country = %s, which ISO 3166 does not assign',
    async country => {
      expectInvalid(await create(hosted({ country })), 'country')
    },
  )

  test('several errors are all listed', async () => {
    const body = {
      amount: 15000,
      currency: 'th',
      country: 'Thailand',
      checkout_mode: 'both',
      merchant_reference: '',
      customer: { name: '', email: 'nobody', phone: 5 },
      payment_method: 'probe_transfer',
      payment_method_options: { bank: 7, colour: 'red' },
      return_url: 'javascript:alert(1)',
    }
    expectInvalid(
      await create(body),
      'amount',
      'checkout_mode',
      'country',
      'currency',
      'customer.email',
      'customer.name',
      'customer.phone',
      'merchant_reference',
      'payment_method_options.bank',
      'payment_method_options.colour',
      'return_url',
    )
  })

  test('an empty object lists all required fields', async () => {
    expectInvalid(await create({}), 'amount', 'country', 'currency', 'customer', 'merchant_reference')
  })

  test('merchant mode requires a payment method', async () => {
    expectInvalid(await create(paying('', { payment_method: undefined })), 'payment_method')
  })

  test('a refusal creates nothing', async () => {
    const own = await openAccount(server())
    await own.call('POST', '/payment_intents', { body: hosted({ amount: '0' }) })
    await own.call('POST', '/payment_intents', { body: paying('probe_sick') })
    const kept = await own.control('GET', '/payments')
    expect(kept.text).not.toContain('"pi_')
  })
})

describe('a valid field is accepted and returned unchanged', () => {
  test.each([
    ['one character', 'r'],
    ['256 letters', 'r'.repeat(256)],
    ['256 emoji', EMOJI.repeat(256)],
    ['only a space', ' '],
    ['quotes, slashes and markup', `"'\\/<b>&amp;</b>`],
    ['control characters', 'a\u0000b\u001fc\u2028d'],
    ['a combining sequence, not composed', 'e\u0301'],
    ['what other languages write', 'คำสั่งซื้อ № ١'],
    ['the name of a member of every object', '__proto__'],
  ])('merchant_reference: %s', async (_, merchant_reference) => {
    const made = await create(hosted({ merchant_reference }))
    expect(made.status, made.text).toBe(201)
    expect(made.body.merchant_reference).toBe(merchant_reference)
    expect((await account.read(made.body.id)).merchant_reference).toBe(merchant_reference)
  })

  test('merchant_reference need not be unique', async () => {
    const first = await account.payHosted({ merchant_reference: 'the same' })
    const second = await account.payHosted({ merchant_reference: 'the same' })
    expect(second.id).not.toBe(first.id)
  })

  test.each(['100', '200000000'])('amount: %s', async amount => {
    expect((await account.pay('probe_transfer', { amount })).amount).toBe(amount)
  })

  test('an amount of 39 or 40 digits keeps every digit', async () => {
    const amount = '9'.repeat(39)
    expect((await account.pay('probe_vast', { amount })).amount).toBe(amount)
    expect((await account.pay('probe_vast', { amount: FORTY_DIGITS })).amount).toBe(FORTY_DIGITS)
  })

  test('a currency may have six letters', async () => {
    expect((await account.pay('probe_six_letters', { currency: 'ZQCOIN' })).currency).toBe('ZQCOIN')
  })

  test.each([
    ['USD', 'TH'],
    ['USDTXX', 'TH'],
    ['THB', 'AQ'],
    ['THB', 'ZW'],
  ])('currency %s with country %s is well-formed but has no route', async (currency, country) => {
    expectUnroutable(await create(paying('probe_transfer', { currency, country })))
  })

  test('checkout_mode defaults to hosted', async () => {
    expect((await account.payHosted({ checkout_mode: undefined })).checkout_mode).toBe('hosted')
    expect((await account.payHosted()).checkout_mode).toBe('hosted')
    expect((await account.pay('probe_transfer')).checkout_mode).toBe('merchant')
  })
})

describe('unknown members', () => {
  test('are ignored, and named in the request log', async () => {
    const own = await openAccount(server())
    const made = await own.payHosted({
      favourite_colour: 'red',
      status: 'succeeded',
      id: 'pi_mine',
      object: 1,
    })
    expect(made.id).not.toBe('pi_mine')
    expect(made.status).toBe('pending')
    expect(made.object).toBe('payment_intent')
    const log = await own.control('GET', '/requests')
    expect(log.text).toContain('favourite_colour')
    expect(log.text).not.toContain(own.keys.secret_key)
  })

  test('are ignored inside customer too', async () => {
    await account.payHosted({ customer: { title: 'Dr', tags: [1, { deep: true }], id: null } })
  })
})
