import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

interface Route {
  id: string
  provider: string
  method: string
  local_code: string
  environments: string[]
  country: string
  currency: string
  min_amount: string
  max_amount: string
  checkout_modes: string[]
  action: string
  action_after?: string
  payer: Record<string, boolean>
  banks: Record<string, string>
  receipt: string
  cancel_pending: boolean
}
interface Catalogue {
  providers: { id: string; healthy: boolean }[]
  methods: { code: string; label: string; category: string; banks: { code: string; label: string }[] }[]
  routes: Route[]
}

const file = new URL('../../fixtures/catalogue.json', import.meta.url)
const { providers, methods, routes }: Catalogue = JSON.parse(readFileSync(file, 'utf8'))

const PAYER_FIELDS = ['account_name', 'account_number', 'bank', 'customer_name', 'customer_phone', 'name_th']
const methodOf = (code: string) => methods.find(method => method.code === code)
const routesOf = (code: string) => routes.filter(route => route.method === code)
const banksOf = (code: string) => methodOf(code)?.banks.map(bank => bank.code) ?? []
const repeated = (values: string[]) => values.filter((value, at) => values.indexOf(value) !== at)

describe('the default catalogue', () => {
  test('has each code only once', () => {
    expect(repeated(providers.map(provider => provider.id))).toEqual([])
    expect(repeated(methods.map(method => method.code))).toEqual([])
    expect(repeated(routes.map(route => route.id))).toEqual([])
    expect(repeated(routes.map(route => route.local_code))).toEqual([])
    for (const method of methods) expect(repeated(method.banks.map(bank => bank.code))).toEqual([])
  })

  test.each(routes)('has a consistent route $id', route => {
    expect(providers.map(provider => provider.id)).toContain(route.provider)
    expect(methodOf(route.method)).toBeDefined()
    expect(banksOf(route.method)).toEqual(expect.arrayContaining(Object.keys(route.banks)))
    if (route.payer.bank) expect(Object.keys(route.banks)).not.toEqual([])
    expect(PAYER_FIELDS).toEqual(expect.arrayContaining(Object.keys(route.payer)))
    expect(['redirect_to_url', 'display_qr_code', 'display_bank_transfer_instructions']).toContain(
      route.action,
    )
    expect(['required', 'none']).toContain(route.receipt)
    expect(route.min_amount).toMatch(/^[1-9]\d*$/)
    expect(BigInt(route.max_amount)).toBeGreaterThan(BigInt(route.min_amount))
    expect(route.country.toLowerCase()).toBe(route.method.slice(0, 2))
  })

  test('has a route for every method, of one country and one kind of action', () => {
    for (const { code, category } of methods) {
      expect(routesOf(code)).not.toEqual([])
      expect(new Set(routesOf(code).map(({ country, currency }) => country + currency)).size).toBe(1)
      expect(new Set(routesOf(code).map(route => route.action)).size).toBe(1)
      const redirects = routesOf(code)[0]?.action === 'redirect_to_url'
      expect(category).toBe(redirects ? 'bank_redirect' : 'bank_transfer')
    }
  })

  test('accepts the example amounts of the interface document everywhere', () => {
    for (const { code } of methods)
      expect(routesOf(code).some(route => BigInt(route.min_amount) <= 10_000n)).toBe(true)
  })
})

test('nothing public in the default catalogue contains a word of a provider', () => {
  const hidden = [
    ...providers.map(provider => provider.id),
    ...routes.flatMap(route => [route.id, route.local_code, ...Object.values(route.banks)]),
  ].map(word => word.toLowerCase())
  const shown = methods
    .flatMap(({ code, label, category, banks }) => [code, label, category, ...banks.flatMap(Object.values)])
    .map(word => String(word).toLowerCase())
  expect(hidden.filter(word => shown.some(text => text.includes(word)))).toEqual([])
  // Short words turn up by chance in identifiers and references, where a scan would take them for a leak.
  expect(hidden.filter(word => word.length < 6)).toEqual([])
})

describe('the default catalogue shows', () => {
  test('a Thai bank transfer with receipt, on two providers of different limits', () => {
    const [first, second, ...more] = routesOf('th_bank_transfer')
    expect(more).toEqual([])
    expect(first?.provider).not.toBe(second?.provider)
    expect([first?.min_amount, first?.max_amount]).not.toEqual([second?.min_amount, second?.max_amount])
    for (const route of [first, second])
      expect(route).toMatchObject({
        receipt: 'required',
        payer: { customer_name: true },
        cancel_pending: true,
      })
    expect(banksOf('th_bank_transfer')).toEqual(
      expect.arrayContaining(['bbl', 'kbank', 'scb', 'ktb', 'bay', 'ttb', 'gsb']),
    )
  })

  test('a listed bank that no route maps', () => {
    const mapped = routesOf('th_bank_transfer').flatMap(route => Object.keys(route.banks))
    expect(banksOf('th_bank_transfer').filter(bank => !mapped.includes(bank))).toEqual(['tisco'])
  })

  test('PromptPay and Thai mobile banking', () => {
    expect(banksOf('th_promptpay')).toEqual([])
    expect(routesOf('th_promptpay')).toMatchObject([
      { action: 'display_qr_code', receipt: 'none', cancel_pending: true },
    ])
    expect(routesOf('th_mobile_banking')).toMatchObject([
      { action: 'redirect_to_url', cancel_pending: false, payer: { bank: true } },
    ])
  })

  test('every country, each with a QR code and its banks', () => {
    const expected = ['vn_vietqr', 'vn_bank_transfer', 'id_qris', 'id_bank_transfer']
    expected.push('ph_qrph', 'ph_bank_transfer', 'my_duitnow', 'my_fpx')
    expect(methods.map(method => method.code)).toEqual(expect.arrayContaining(expected))
    for (const country of ['TH', 'VN', 'ID', 'PH', 'MY'])
      expect(routes.some(route => route.country === country && route.action === 'display_qr_code')).toBe(true)
  })

  test('an action that comes later, a hosted-only method and a test-only one', () => {
    expect(routes.filter(route => route.action_after === '10s').map(route => route.method)).toEqual([
      'th_virtual_account',
    ])
    expect(
      routes.filter(route => !route.checkout_modes.includes('merchant')).map(route => route.method),
    ).toEqual(['th_internet_banking'])
    expect(routes.filter(route => !route.environments.includes('live')).map(route => route.method)).toEqual([
      'th_test_qr',
    ])
  })

  test('every payer field, required somewhere', () => {
    for (const payerField of PAYER_FIELDS) expect(routes.some(route => route.payer[payerField])).toBe(true)
    const namedAccount = { account_number: true, account_name: true, name_th: true }
    expect(routes.filter(route => route.payer.name_th)).toMatchObject([{ payer: namedAccount }])
  })
})
