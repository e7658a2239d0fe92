import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PAYER_FIELDS, type PayerField } from '../../src/contract/resources.ts'
import { type CatalogueData, readCatalogue } from '../../src/domain/catalogue.ts'
import { decide } from '../../src/domain/decide/index.ts'
import { type EligibleMethod, eligibleMethods } from '../../src/domain/routing.ts'
import { MutableWorld } from '../../src/domain/world.ts'
import { aRoute, context } from '../support/domain/decisions.ts'

const BANKS = ['x', 'y', 'z']
const PROVIDERS = ['one', 'two', 'three']
const mapped = fc
  .subarray(BANKS, { minLength: 1 })
  .map(banks => Object.fromEntries(banks.map(bank => [bank, bank])))
const payer = fc.dictionary(fc.constantFrom(...PAYER_FIELDS), fc.boolean(), {
  maxKeys: 4,
  noNullPrototype: true,
})

const routes = fc.array(
  fc.record({
    provider: fc.constantFrom(...PROVIDERS),
    method: fc.constantFrom('with-banks', 'without'),
    checkout_modes: fc.subarray(['hosted', 'merchant'] as ('hosted' | 'merchant')[], { minLength: 1 }),
    min_amount: fc.constantFrom('1', '5000', '5001'),
    payer,
    banks: mapped,
  }),
  { minLength: 1, maxLength: 5 },
)

/** Bank methods map their banks on every route; the others have none, and ask for none. */
const catalogues = fc.tuple(routes, fc.subarray(PROVIDERS)).map(
  ([drafts, unhealthy]): CatalogueData => ({
    providers: PROVIDERS.map(id => ({ id, healthy: !unhealthy.includes(id) })),
    methods: [
      {
        code: 'with-banks',
        label: 'A',
        category: 'bank_transfer',
        banks: BANKS.map(code => ({ code, label: code })),
      },
      { code: 'without', label: 'B', category: 'bank_transfer' },
    ],
    routes: drafts.map(({ banks, payer, ...draft }, at) => {
      const { bank, ...others } = payer
      const asks = draft.method === 'without' ? others : payer
      return aRoute({
        ...draft,
        id: `route-${at}`,
        payer: asks,
        ...(draft.method === 'without' ? {} : { banks }),
      })
    }),
  }),
)

const VALUES: Record<PayerField, [part: 'customer' | 'options', key: string]> = {
  customer_name: ['customer', 'name'],
  customer_phone: ['customer', 'phone'],
  account_name: ['options', 'account_name'],
  account_number: ['options', 'account_number'],
  bank: ['options', 'bank'],
  name_th: ['options', 'name_th'],
}

/** A create request with what discovery requires and nothing else, but for the bank asked for. */
function requestFor(
  { method, required }: EligibleMethod,
  mode: 'hosted' | 'merchant',
  bank: string | undefined,
) {
  const parts = { customer: {} as Record<string, string>, options: {} as Record<string, string> }
  for (const field of required) parts[VALUES[field][0]][VALUES[field][1]] = 'given'
  if (bank !== undefined) parts.options.bank = bank
  return {
    amount: '5000',
    country: 'TH',
    currency: 'THB',
    checkout_mode: mode,
    payment_method: method.code,
    customer: parts.customer,
    payment_method_options: parts.options,
  }
}

/** What becomes of a create for each method offered, with each bank offered and, where none is required, without. */
function outcomes(data: CatalogueData, mode: 'hosted' | 'merchant'): unknown[] {
  const read = readCatalogue(data)
  if (!('catalogue' in read)) throw new Error(JSON.stringify(read.problems))
  const { catalogue } = read
  const table = { catalogue, isHealthy: (provider: string) => catalogue.healthy.has(provider) }
  const wanted = {
    amount: '5000',
    country: 'TH',
    currency: 'THB',
    checkoutMode: mode,
    environment: 'test',
  } as const
  return eligibleMethods(table, wanted).flatMap(method => {
    const banks: (string | undefined)[] = method.banks.map(({ code }) => code)
    return (method.required.has('bank') ? banks : [...banks, undefined]).flatMap(bank => {
      const request = requestFor(method, mode, bank)
      const decision = decide(new MutableWorld(), { type: 'CreatePayment', request }, context({ catalogue }))
      return 'events' in decision ? [] : [{ request, decision }]
    })
  })
}

test('every method that discovery offers can be used with exactly the fields that it requires', () => {
  fc.assert(
    fc.property(catalogues, fc.constantFrom('hosted' as const, 'merchant' as const), (data, mode) => {
      expect(outcomes(data, mode)).toEqual([])
    }),
    { numRuns: 1000 },
  )
})

test('discovery keeps its word when a route of a method with banks maps none', () => {
  const data: CatalogueData = {
    providers: [{ id: 'siam' }],
    methods: [
      {
        code: 'transfer',
        label: 'A',
        category: 'bank_transfer',
        banks: BANKS.map(code => ({ code, label: code })),
      },
    ],
    routes: [
      aRoute({ id: 'maps x', banks: { x: 'X' } }),
      aRoute({ id: 'maps none', payer: { customer_phone: true } }),
      aRoute({ id: 'maps y', banks: { y: 'Y' } }),
    ],
  }
  expect(outcomes(data, 'merchant')).toEqual([])
})
