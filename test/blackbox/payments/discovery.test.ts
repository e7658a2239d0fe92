import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Merchant, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import {
  FORTY_DIGITS,
  LONG_NAMED,
  labelOf,
  MAIN,
  probeCatalogue,
  SICK,
  SPARE,
} from '../../support/gateway/probe-catalogue.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectInvalid } from '../../support/http/answers.ts'
import { discovering } from '../../support/payments/requests.ts'

const server = sharedServer()
let merchant: Merchant
let account: Account

beforeAll(async () => {
  merchant = await openMerchant(server())
  account = merchant.test
})

type Changes = Record<string, string | undefined>

async function methods(changes: Changes = {}, asker = account) {
  const answer = await asker.call('GET', discovering(changes))
  expect(answer.status, answer.text).toBe(200)
  return answer.body.methods
}

async function codes(changes: Changes = {}, asker = account): Promise<string[]> {
  return (await methods(changes, asker)).map((method: { code: string }) => method.code)
}

async function method(code: string, changes: Changes = {}) {
  return (await methods(changes)).find((entry: { code: string }) => entry.code === code)
}

describe('the answer', () => {
  test('returns country, currency and the environment of the key, and nothing else', async () => {
    const { body } = await account.call('GET', discovering({ country: 'VN', currency: 'VND' }))
    expect(body).toEqual({ country: 'VN', currency: 'VND', environment: 'test', methods: [] })
    const alive = await merchant.live.call('GET', discovering())
    expect(alive.body).toMatchObject({ country: 'TH', currency: 'THB', environment: 'live' })
  })

  test('a method in merchant mode has exactly the documented fields', async () => {
    expect(await method('probe_transfer', { checkout_mode: 'merchant' })).toEqual({
      category: 'bank_transfer',
      code: 'probe_transfer',
      label: labelOf('probe_transfer'),
      next_action_types: ['display_bank_transfer_instructions'],
      options: { banks: [], payer: payerAsking() },
    })
  })

  test.each([
    ['probe_qr', 'display_qr_code', 'bank_transfer'],
    ['probe_redirect', 'redirect_to_url', 'bank_redirect'],
    ['probe_later', 'display_qr_code', 'bank_transfer'],
  ])('%s can produce %s and is a %s', async (code, type, category) => {
    const found = await method(code, { checkout_mode: 'merchant' })
    expect(found).toMatchObject({ next_action_types: [type], category })
  })

  test('in hosted mode, explicit or default, every method produces only a redirect', async () => {
    for (const changes of [{}, { checkout_mode: 'hosted' }]) {
      const found = await methods(changes)
      expect(found.length).toBeGreaterThan(5)
      for (const entry of found) expect(entry.next_action_types).toEqual(['redirect_to_url'])
    }
  })

  test('each method is listed once, however many routes it has', async () => {
    const listed = await codes()
    expect(listed).toContain('probe_twice')
    expect(new Set(listed).size).toBe(listed.length)
  })

  test('always returns all six payer fields, each marked as required or not', async () => {
    const form = await method('probe_form')
    expect(form.options.payer).toEqual(
      payerAsking('account_name', 'account_number', 'bank', 'customer_name', 'customer_phone', 'name_th'),
    )
    expect((await method('probe_optional')).options.payer).toEqual(payerAsking('customer_name'))
  })

  test('banks are listed by public code and label, without those that no route maps', async () => {
    const { banks } = (await method('probe_form')).options
    expect(banks).toEqual([{ code: 'alpha', label: labelOf('alpha') }])
    const split = (await method('probe_banks')).options.banks.map((bank: { code: string }) => bank.code)
    expect(split).not.toContain('omega')
    expect(split).toContain('alpha')
  })
})

describe('a method is eligible only', () => {
  test('if the request is for its country', async () => {
    expect(await codes()).toContain('probe_transfer')
    expect(await codes({ country: 'VN' })).toEqual([])
    expect(await codes({ country: 'ZZ' })).toEqual([])
  })

  test('if the request is for its currency', async () => {
    expect(await codes({ currency: 'ZQCOIN' })).toEqual(['probe_six_letters'])
    expect(await codes({ currency: 'THB' })).not.toContain('probe_six_letters')
    expect(await codes({ currency: 'VND' })).toEqual([])
  })

  test.each([
    ['499', false],
    ['500', true],
    ['501', true],
    ['899', true],
    ['900', true],
    ['901', false],
    ['5000', false],
    ['60', false],
  ])('within its amount limits: %s between 500 and 900 is %s', async (amount, eligible) => {
    expect((await codes({ amount })).includes('probe_narrow')).toBe(eligible)
  })

  test('within limits that no double represents exactly', async () => {
    expect(await codes({ amount: FORTY_DIGITS })).toEqual(['probe_vast'])
    expect(await codes({ amount: `${FORTY_DIGITS.slice(0, -1)}1` })).toEqual([])
    expect(await codes({ amount: `${FORTY_DIGITS}0` })).toEqual([])
  })

  test('if the request is for one of its checkout modes', async () => {
    const inHosted = await codes({ checkout_mode: 'hosted' })
    expect(inHosted).toContain('probe_hosted_only')
    expect(inHosted).not.toContain('probe_merchant_only')
    const inMerchant = await codes({ checkout_mode: 'merchant' })
    expect(inMerchant).toContain('probe_merchant_only')
    expect(inMerchant).not.toContain('probe_hosted_only')
  })

  test('if the request is for one of its environments', async () => {
    const inTest = await codes()
    expect(inTest).toContain('probe_test_only')
    expect(inTest).not.toContain('probe_live_only')
    const inLive = await codes({}, merchant.live)
    expect(inLive).toContain('probe_live_only')
    expect(inLive).not.toContain('probe_test_only')
  })
})

describe('a provider pin', () => {
  test('shows only the methods of that provider', async () => {
    expect(await codes({ provider: LONG_NAMED })).toEqual(['probe_long_named'])
    const pinned = await codes({ provider: SPARE })
    expect([...pinned].sort()).toEqual(['probe_banks', 'probe_twice', 'th_mobile_banking'])
  })

  test('shows that provider’s version of a method that others also have', async () => {
    const atMain = await method('probe_twice', { provider: MAIN, checkout_mode: 'merchant' })
    expect(atMain.next_action_types).toEqual(['display_bank_transfer_instructions'])
    const atSpare = await method('probe_twice', { provider: SPARE, checkout_mode: 'merchant' })
    expect(atSpare.next_action_types).toEqual(['display_qr_code'])
    const banks = (await method('probe_banks', { provider: SPARE })).options.banks
    expect(banks).toEqual([{ code: 'gamma', label: labelOf('gamma') }])
  })

  test('to an unknown provider finds nothing', async () => {
    expect(await codes({ provider: 'nobody' })).toEqual([])
  })

  test('matches exactly: not a prefix, not a longer name', async () => {
    expect(await codes({ provider: MAIN.slice(0, -1) })).toEqual([])
    expect(await codes({ provider: `${MAIN}2` })).toEqual([])
  })

  test('to an unhealthy provider never falls back', async () => {
    expect(await codes({ provider: SICK })).toEqual([])
    const own = await openAccount(server())
    expect(await codes({ provider: SPARE }, own)).toContain('probe_twice')
    await own.setHealth(SPARE, false)
    expect(await codes({ provider: SPARE }, own)).toEqual([])
    expect(await codes({ provider: MAIN }, own)).toContain('probe_twice')
    await own.setHealth(SPARE, true)
    expect(await codes({ provider: SPARE }, own)).toContain('probe_twice')
  })
})

describe('the Team policy', () => {
  test('denies discovery for a mode that the merchant may not use', async () => {
    const hostedOnly = await openAccount(server(), { checkout_modes: ['hosted'] })
    expectError(
      await hostedOnly.call('GET', discovering({ checkout_mode: 'merchant' })),
      403,
      'checkout_mode_not_allowed',
    )
    expect((await hostedOnly.call('GET', discovering())).status).toBe(200)
    const merchantOnly = await openAccount(server(), { checkout_modes: ['merchant'] })
    expectError(await merchantOnly.call('GET', discovering()), 403, 'checkout_mode_not_allowed')
    expect((await merchantOnly.call('GET', discovering({ checkout_mode: 'merchant' }))).status).toBe(200)
  })

  test('is checked after the parameters', async () => {
    const hostedOnly = await openAccount(server(), { checkout_modes: ['hosted'] })
    const answer = await hostedOnly.call('GET', discovering({ checkout_mode: 'merchant', amount: '0' }))
    expectInvalid(answer, 'amount')
  })

  test('takes effect at once when it changes', async () => {
    const own = await openMerchant(server())
    const ask = () => own.test.call('GET', discovering({ checkout_mode: 'merchant' }))
    expect((await ask()).status).toBe(200)
    await server().control('PATCH', `/merchants/${own.id}`, { body: { checkout_modes: ['hosted'] } })
    expectError(await ask(), 403, 'checkout_mode_not_allowed')
  })
})

test('a new catalogue takes effect at once, only in its environment', async () => {
  const own = await openMerchant(server())
  const catalogue = probeCatalogue(routes => routes.filter(route => route.method === 'probe_qr'))
  const put = await own.test.control('PUT', '/catalogue', { body: catalogue })
  expect(put.status, put.text).toBe(200)
  expect(await codes({}, own.test)).toEqual(['probe_qr'])
  expect((await codes({}, own.live)).length).toBeGreaterThan(5)
})

function payerAsking(...required: string[]) {
  const fields = ['account_name', 'account_number', 'bank', 'customer_name', 'customer_phone', 'name_th']
  return Object.fromEntries(fields.map(field => [field, { required: required.includes(field) }]))
}
