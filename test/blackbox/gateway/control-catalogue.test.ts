import { describe, expect, test } from 'vitest'
import { type Account, openAccount, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { type Catalogue, MAIN, plainCatalogue } from '../../support/gateway/probe-catalogue.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalid, notFound } from '../../support/http/refusals.ts'
import { createPayment, paymentBody, postPayment } from '../../support/payments/payments.ts'

const server = sharedServer()

const read = (account: Account) => succeeded(account.control('GET', '/catalogue'))
const put = (account: Account, body: unknown) => account.control('PUT', '/catalogue', { body })
const setHealth = (account: Account, provider: string, healthy: unknown) =>
  account.control('PATCH', `/catalogue/providers/${provider}`, { body: { healthy } })

const offered = async (account: Account): Promise<string[]> => {
  const query = 'amount=25000&country=TH&currency=THB&checkout_mode=merchant'
  const { methods } = await succeeded(account.call('GET', `/payment_methods/options?${query}`))
  return methods.map((method: { code: string }) => method.code).sort()
}

describe('replacing the catalogue', () => {
  test('changes the available methods from the next request on', async () => {
    const account = await openAccount(server(), { catalogue: plainCatalogue() })
    expect(await offered(account)).toEqual(['th_bank_transfer', 'th_mobile_banking', 'th_promptpay'])
    const { routes, ...rest } = plainCatalogue()
    const smaller = { ...rest, routes: routes.filter(({ method }) => method === 'th_promptpay') }
    await succeeded(put(account, smaller))
    expect(await offered(account)).toEqual(['th_promptpay'])
    expect(await read(account)).toMatchObject(smaller)
  })

  test('affects this account only', async () => {
    const merchant = await openMerchant(server(), { catalogue: plainCatalogue() })
    await succeeded(put(merchant.test, { ...plainCatalogue(), routes: [] }))
    expect(await offered(merchant.test)).toEqual([])
    expect(await offered(merchant.live)).toHaveLength(3)
  })

  test('accepts the catalogue that GET returned', async () => {
    const account = await openAccount(server(), { catalogue: plainCatalogue() })
    const before = await read(account)
    await succeeded(put(account, before))
    expect(await read(account)).toEqual(before)
  })

  test('a route without `receipt` accepts no receipt', async () => {
    const account = await openAccount(server(), { catalogue: plainCatalogue() })
    const { routes, ...rest } = plainCatalogue()
    await succeeded(put(account, { ...rest, routes: routes.map(({ receipt: _, ...route }) => route) }))
    expect(await createPayment(account)).toMatchObject({ receipt: null })
    expect((await read(account)).routes[0]).not.toHaveProperty('receipt')
  })

  test('does not change frozen routes', async () => {
    const account = await openAccount(server(), { catalogue: plainCatalogue() })
    const payment = await createPayment(account)
    const { routes, ...rest } = plainCatalogue()
    const withoutCancel = { ...rest, routes: routes.map(route => ({ ...route, cancel_pending: false })) }
    await succeeded(put(account, withoutCancel))
    expect((await account.cancel(payment.id)).status).toBe(202)
    const later = await createPayment(account)
    expectRefusal(await account.cancel(later.id), {
      status: 422,
      code: 'provider_capability_unsupported',
    })
  })
})

/** The plain catalogue, its first route (the transfer's) changed. */
const firstRouteWith = (changes: Record<string, unknown>): Catalogue => {
  const { routes, ...rest } = plainCatalogue()
  return { ...rest, routes: routes.map((route, index) => (index === 0 ? { ...route, ...changes } : route)) }
}

/** The plain catalogue with the first of these there twice. */
const withTwins = (list: 'providers' | 'methods' | 'routes'): unknown => {
  const catalogue = plainCatalogue()
  return { ...catalogue, [list]: [catalogue[list][0], ...catalogue[list]] }
}

const invalidOnes: [string, unknown][] = [
  ['a route to no provider', firstRouteWith({ provider: 'nobody' })],
  ['a route for no method', firstRouteWith({ method: 'nothing' })],
  ['two providers of one id', withTwins('providers')],
  ['two methods of one code', withTwins('methods')],
  ['two routes of one id', withTwins('routes')],
  ['a bank that its method lacks', firstRouteWith({ banks: { scb: '014' } })],
  ['an unknown action', firstRouteWith({ action: 'dance' })],
  ['an unknown environment', firstRouteWith({ environments: ['staging'] })],
  ['an unknown checkout mode', firstRouteWith({ checkout_modes: ['embedded'] })],
  ['an unknown receipt rule', firstRouteWith({ receipt: 'maybe' })],
  ['an unknown payer field', firstRouteWith({ payer: { shoe_size: true } })],
  ['a minimum over the maximum', firstRouteWith({ min_amount: '999999999999' })],
  ['an amount that is a number', firstRouteWith({ min_amount: 100 })],
  ['a lower-case country', firstRouteWith({ country: 'th' })],
  ['a delay that is not a duration', firstRouteWith({ action_after: 'soon' })],
  ['no routes', { ...plainCatalogue(), routes: undefined }],
  ['routes that are not a list', { ...plainCatalogue(), routes: {} }],
  ['nothing', {}],
  ['a list', []],
]

describe('an invalid catalogue is refused and changes nothing', () => {
  test.each(invalidOnes)('%s', async (_, catalogue) => {
    const account = await openAccount(server(), { catalogue: plainCatalogue() })
    const before = await read(account)
    expectRefusal(await put(account, catalogue), invalid())
    expect(await read(account)).toEqual(before)
    expect(await offered(account)).toHaveLength(3)
  })
})

describe('a provider’s health', () => {
  test('removes its routes when false and restores them when true', async () => {
    const account = await openAccount(server(), { catalogue: plainCatalogue() })
    await succeeded(setHealth(account, MAIN, false))
    expect(await offered(account)).toEqual(['th_mobile_banking'])
    expectRefusal(await postPayment(account, paymentBody()), { status: 422, code: 'routing_unavailable' })
    await succeeded(setHealth(account, MAIN, true))
    expect(await offered(account)).toHaveLength(3)
    await createPayment(account)
  })

  test('does not affect payments whose route is already frozen', async () => {
    const account = await openAccount(server(), { catalogue: plainCatalogue() })
    const { id } = await createPayment(account)
    await succeeded(setHealth(account, MAIN, false))
    expect((await account.cancel(id)).status).toBe(202)
  })

  test('affects one account only', async () => {
    const merchant = await openMerchant(server(), { catalogue: plainCatalogue() })
    await succeeded(setHealth(merchant.live, MAIN, false))
    expect(await offered(merchant.test)).toHaveLength(3)
  })

  test.each([undefined, null, 'yes', 1])('must be true or false, not %j', async healthy => {
    const account = await openAccount(server(), { catalogue: plainCatalogue() })
    expectRefusal(await setHealth(account, MAIN, healthy), invalid('healthy'))
    expect(await offered(account)).toHaveLength(3)
  })

  test('of an unknown provider is 404', async () => {
    const account = await openAccount(server(), { catalogue: plainCatalogue() })
    expectRefusal(await setHealth(account, 'nobody', false), notFound)
  })
})

test('the default catalogue covers five countries and passes its own validation', async () => {
  const account = await openAccount(server(), { catalogue: undefined })
  const { methods, routes }: Catalogue = await read(account)
  expect([...new Set(routes.map(({ country }) => country))]).toEqual(
    expect.arrayContaining(['TH', 'VN', 'ID', 'PH', 'MY']),
  )
  const codes = methods.map(({ code }) => code)
  expect(codes).toEqual(expect.arrayContaining(['th_bank_transfer', 'th_promptpay', 'th_mobile_banking']))
  const of = (code: string) => routes.filter(({ method }) => method === code)
  expect(of('th_bank_transfer').map(({ receipt }) => receipt)).toContain('required')
  expect(of('th_promptpay').map(({ action }) => action)).toContain('display_qr_code')
  expect(of('th_mobile_banking').every(({ cancel_pending }) => cancel_pending === false)).toBe(true)
  expect(routes.some(({ action_after }) => action_after !== undefined)).toBe(true)
  const providers = (code: unknown) => new Set(of(String(code)).map(({ provider }) => provider)).size
  expect(codes.some(code => providers(code) >= 2)).toBe(true)
  await succeeded(put(account, { ...(await read(account)) }))
})
