import type { CheckoutMode } from '../../../src/contract/statuses.ts'
import { type CatalogueData, compareAmounts, type RouteEntry } from '../../../src/domain/catalogue.ts'

/** Names of the provider, which no merchant and no payer may ever see. */
export const SECRETS = /zzprov|zzroute|zzlocal|zzbank/i

const transfer = (provider: string, differences: Partial<RouteEntry>): RouteEntry => ({
  id: `zzroute-transfer-${provider}`,
  provider,
  method: 'transfer',
  local_code: `ZZLOCAL-T-${provider}`,
  environments: ['test'],
  country: 'TH',
  currency: 'THB',
  min_amount: '100',
  max_amount: '1000000',
  checkout_modes: ['hosted', 'merchant'],
  action: 'display_bank_transfer_instructions',
  payer: { customer_name: true, bank: false },
  banks: { one: 'ZZBANK-1', two: 'ZZBANK-2' },
  receipt: 'required',
  cancel_pending: true,
  ...differences,
})

const ROUTES: readonly RouteEntry[] = [
  transfer('zzprov-a', {}),
  // The same method at another provider, without a receipt and without cancellation.
  transfer('zzprov-b', { receipt: 'none', cancel_pending: false, payer: {}, banks: { two: 'ZZBANK-3' } }),
  transfer('zzprov-a', {
    id: 'zzroute-qr',
    method: 'qr',
    action: 'display_qr_code',
    receipt: 'none',
    payer: {},
    banks: {},
  }),
  transfer('zzprov-b', {
    id: 'zzroute-redirect',
    method: 'redirect',
    action: 'redirect_to_url',
    receipt: 'none',
    cancel_pending: false,
    payer: { customer_phone: true },
    banks: {},
  }),
  transfer('zzprov-a', {
    id: 'zzroute-late',
    method: 'late',
    checkout_modes: ['merchant'],
    action_after: '10s',
    payer: {},
    banks: {},
  }),
]

function catalogue(routes: readonly RouteEntry[], unhealthy: readonly string[] = []): CatalogueData {
  return {
    providers: ['zzprov-a', 'zzprov-b'].map(id => ({ id, healthy: !unhealthy.includes(id) })),
    methods: [
      {
        code: 'transfer',
        label: 'Transfer',
        category: 'bank_transfer',
        banks: [
          { code: 'one', label: 'Bank one' },
          { code: 'two', label: 'Bank two' },
        ],
      },
      { code: 'qr', label: 'QR', category: 'bank_transfer' },
      { code: 'redirect', label: 'Redirect', category: 'bank_redirect' },
      { code: 'late', label: 'Late', category: 'bank_transfer' },
    ],
    routes: [...routes],
  }
}

/** The same route with other terms. Payments that were created before keep the old terms. */
const otherwise = (route: RouteEntry): RouteEntry => ({
  ...route,
  receipt: route.receipt === 'required' ? 'none' : 'required',
  cancel_pending: !route.cancel_pending,
})

/** The first catalogue is that of the server. The last one is not consistent. */
export const CATALOGUES: readonly CatalogueData[] = [
  catalogue(ROUTES),
  catalogue(ROUTES.toReversed().map(otherwise)),
  catalogue(ROUTES.slice(0, 3), ['zzprov-a']),
  catalogue([transfer('zzprov-none', {})]),
]
export const PROVIDERS = ['zzprov-a', 'zzprov-b', 'zzprov-none']

interface Wanted {
  readonly mode: CheckoutMode
  readonly amount: string
  readonly method?: string | undefined
  readonly bank?: string | undefined
}

/** The route that should carry a payment, found without an index; or the code of the refusal. */
export function expectedRoute(
  data: CatalogueData,
  isHealthy: (provider: string) => boolean,
  { mode, amount, method, bank }: Wanted,
): RouteEntry | string {
  const fits = (route: RouteEntry) =>
    compareAmounts(amount, route.min_amount ?? '1') >= 0 &&
    compareAmounts(amount, route.max_amount ?? '9'.repeat(99)) <= 0
  const inMode = data.routes.filter(route => route.checkout_modes.includes(mode))
  if (method === undefined)
    return inMode.find(route => fits(route) && isHealthy(route.provider)) ?? 'routing_unavailable'
  const hasBanks = data.methods.some(({ code, banks }) => code === method && banks)
  const able = inMode.filter(
    route =>
      route.method === method && (!hasBanks || bank === undefined || Object.hasOwn(route.banks ?? {}, bank)),
  )
  if (able.length === 0) return 'payment_configuration_unavailable'
  return able.filter(fits).find(route => isHealthy(route.provider)) ?? 'routing_unavailable'
}
