import { describe, expect, test } from 'vitest'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import { indexCatalogue, type RouteEntry } from '../../src/domain/catalogue.ts'
import { chooseRoute, eligibleMethods, missingFields, type RouteRequest } from '../../src/domain/routing.ts'
import { aRoute } from '../support/domain/decisions.ts'

const WANTED: RouteRequest = {
  amount: '5000',
  country: 'TH',
  currency: 'THB',
  checkoutMode: 'merchant',
  environment: 'test',
}

interface Given {
  readonly routes: readonly RouteEntry[]
  readonly banks?: readonly string[]
  readonly unhealthy?: readonly string[]
}

const tableOf = ({ routes, banks = [], unhealthy = [] }: Given) => ({
  catalogue: indexCatalogue({
    providers: [...new Set(routes.map(({ provider }) => provider))].map(id => ({ id })),
    methods: [
      {
        code: 'transfer',
        label: 'Transfer',
        category: 'bank_transfer',
        ...(banks.length > 0 ? { banks: banks.map(code => ({ code, label: code })) } : {}),
      },
    ],
    routes: [...routes],
  }),
  isHealthy: (provider: string) => !unhealthy.includes(provider),
})

function chosen(
  given: Given,
  request: Partial<RouteRequest & { method: string; bank: string }> = {},
): string {
  const choice = { method: 'transfer', bank: undefined, ...request }
  const found = chooseRoute(tableOf(given), resolveContract(), { ...WANTED, ...request }, choice)
  return 'route' in found ? found.route.id : found.refused.code
}
const offered = (given: Given, request: Partial<RouteRequest> = {}) =>
  eligibleMethods(tableOf(given), { ...WANTED, ...request })

const CONFIGURATION = 'payment_configuration_unavailable'
const ROUTING = 'routing_unavailable'

describe('eligibility of a route:', () => {
  test.each<[string, Partial<RouteEntry>, Partial<RouteRequest>, string]>([
    ['the country differs', {}, { country: 'VN' }, CONFIGURATION],
    ['the currency differs', {}, { currency: 'USD' }, CONFIGURATION],
    ['the mode is not served', { checkout_modes: ['hosted'] }, {}, CONFIGURATION],
    ['the environment is not served', { environments: ['live'] }, {}, CONFIGURATION],
    ['another provider is pinned', {}, { provider: 'other' }, CONFIGURATION],
    ['the amount is below the least', { min_amount: '5001' }, {}, ROUTING],
    ['the amount is above the most', { max_amount: '4999' }, {}, ROUTING],
    ['the amount is one digit too long', { max_amount: '9999' }, { amount: '10000' }, ROUTING],
    ['its own provider is pinned', {}, { provider: 'siam' }, 'route-1'],
    ['the amount is the least', { min_amount: '5000' }, {}, 'route-1'],
    ['the amount is the most', { max_amount: '5000' }, {}, 'route-1'],
    ['there are no limits', {}, { amount: '9'.repeat(40) }, 'route-1'],
    ['everything fits', {}, {}, 'route-1'],
  ])('%s', (_, route, request, outcome) => {
    expect(chosen({ routes: [aRoute(route)] }, request)).toBe(outcome)
    expect(offered({ routes: [aRoute(route)] }, request)).toHaveLength(outcome === 'route-1' ? 1 : 0)
  })

  test('an unknown method is an unavailable configuration', () => {
    expect(chosen({ routes: [aRoute()] }, { method: 'other' })).toBe(CONFIGURATION)
  })

  test.each([
    ['errors.unknown_method', 'validation_failed', { method: 'other' }, 'validation_failed'],
    ['errors.amount_limits', CONFIGURATION, { amount: '1' }, CONFIGURATION],
  ])('%s can change the refusal to %s', (key, value, request, code) => {
    const wanted = { ...WANTED, ...request }
    const choice = { method: 'transfer', bank: undefined, ...request }
    const table = tableOf({ routes: [aRoute({ min_amount: '100' })] })
    const contract = resolveContract({ [key]: value })
    expect(chooseRoute(table, contract, wanted, choice)).toMatchObject({ refused: { code } })
  })
})

describe('the first healthy route in order is chosen', () => {
  const routes = [aRoute({ id: 'a', provider: 'one' }), aRoute({ id: 'b', provider: 'two' })]

  test.each<[string, readonly string[], string]>([
    ['all are healthy', [], 'a'],
    ['the first is down', ['one'], 'b'],
    ['all are down', ['one', 'two'], ROUTING],
  ])('%s', (_, unhealthy, outcome) => {
    expect(chosen({ routes, unhealthy })).toBe(outcome)
    expect(offered({ routes, unhealthy })).toHaveLength(outcome === ROUTING ? 0 : 1)
  })

  test('a pinned provider never falls back to another', () => {
    expect(chosen({ routes, unhealthy: ['one'] }, { provider: 'one' })).toBe(ROUTING)
    expect(offered({ routes, unhealthy: ['one'] }, { provider: 'one' })).toEqual([])
  })

  test('limits are checked before health', () => {
    const [first = aRoute(), second = aRoute()] = routes
    const limited = [{ ...first, max_amount: '100' }, second]
    expect(chosen({ routes: limited })).toBe('b')
    expect(chosen({ routes: limited, unhealthy: ['two'] })).toBe(ROUTING)
  })
})

describe('banks', () => {
  const routes = [
    aRoute({ id: 'a', banks: { x: 'X' }, payer: { customer_name: true } }),
    aRoute({ id: 'b', banks: { y: 'Y', x: 'X' }, payer: { customer_phone: true, name_th: false } }),
  ]
  const banks = ['x', 'y', 'z']

  test.each([
    [undefined, 'a'],
    ['x', 'a'],
    ['y', 'b'],
    ['z', CONFIGURATION],
  ])('%s goes to %s', (bank, outcome) => {
    expect(chosen({ routes, banks }, bank === undefined ? {} : { bank })).toBe(outcome)
  })

  test('discovery lists the banks that a route maps, and the fields that any of the routes asks for', () => {
    const [method] = offered({ routes, banks })
    expect(method?.banks.map(({ code }) => code)).toEqual(['x', 'y'])
    expect(method?.required).toEqual(new Set(['customer_name', 'customer_phone']))
    expect(method?.named).toEqual(new Set(['customer_name', 'customer_phone', 'name_th']))
  })
})

test('missing fields are named as in the request', () => {
  const payer = { customer_name: true, customer_phone: true, account_name: true, bank: true, name_th: false }
  expect(missingFields(aRoute({ payer }), { name: 'Ann' }, { account_name: 'Ann' })).toEqual([
    'payment_method_options.bank',
    'customer.phone',
  ])
  expect(missingFields(aRoute(), {}, {})).toEqual([])
})
