/**
 * A catalogue with one method for each tested rule. Everything local to a provider has a unique mark, so that a scan of
 * any answer shows whether it leaked.
 */

export const MARKS = ['zqprov', 'zqroute', 'zqlocal']
export const SENTINEL = new RegExp(MARKS.join('|'), 'i')

export const MAIN = 'zqprov-main'
export const SPARE = 'zqprov-spare'
/** Never healthy. */
export const SICK = 'zqprov-sick'
/** The longest name of a provider: 64 characters. */
export const LONG_NAMED = `zqprov-${'n'.repeat(57)}`

export const FORTY_DIGITS = `1${'0'.repeat(39)}`

interface Route {
  [field: string]: unknown
  method: string
}

interface Method {
  code: string
  label: string
  category: string
  banks: { code: string; label: string }[]
}

const transfer = { action: 'display_bank_transfer_instructions' }
const qr = { action: 'display_qr_code' }
const redirect = { action: 'redirect_to_url' }

/** In the order in which they are tried. */
const ROUTES: Route[] = [
  { method: 'probe_transfer', ...transfer },
  { method: 'probe_receipt', ...transfer, receipt: 'required' },
  { method: 'probe_fixed', ...transfer, cancel_pending: false },
  { method: 'probe_fixed_receipt', ...transfer, cancel_pending: false, receipt: 'required' },
  { method: 'probe_qr', ...qr },
  { method: 'probe_later', ...qr, action_after: '10m' },
  { method: 'probe_redirect', ...redirect },
  {
    method: 'probe_banks',
    ...redirect,
    payer: { bank: true },
    banks: { alpha: 'zqlocal-A1', beta: 'zqlocal-B1' },
  },
  {
    method: 'probe_banks',
    ...redirect,
    payer: { bank: true },
    banks: { gamma: 'zqlocal-G1' },
    provider: SPARE,
  },
  {
    method: 'probe_banks',
    ...redirect,
    payer: { bank: true },
    banks: { delta: 'zqlocal-D1' },
    provider: SICK,
  },
  {
    method: 'probe_form',
    ...redirect,
    banks: { alpha: 'zqlocal-A2' },
    payer: {
      customer_name: true,
      customer_phone: true,
      account_name: true,
      account_number: true,
      bank: true,
      name_th: true,
    },
  },
  { method: 'probe_optional', ...transfer, payer: { customer_name: true, account_number: false } },
  { method: 'probe_hosted_only', ...redirect, checkout_modes: ['hosted'] },
  { method: 'probe_merchant_only', ...transfer, checkout_modes: ['merchant'] },
  { method: 'probe_test_only', ...transfer, environments: ['test'] },
  { method: 'probe_live_only', ...transfer, environments: ['live'] },
  { method: 'probe_narrow', ...transfer, min_amount: '500', max_amount: '900' },
  { method: 'probe_vast', ...transfer, max_amount: FORTY_DIGITS },
  { method: 'probe_six_letters', ...transfer, currency: 'ZQCOIN' },
  { method: 'probe_sick', ...transfer, provider: SICK },
  { method: 'probe_sick', ...transfer, provider: SICK, min_amount: '1' },
  { method: 'probe_twice', ...transfer },
  { method: 'probe_twice', ...qr, provider: SPARE },
  { method: 'probe_long_named', ...transfer, provider: LONG_NAMED },
  { method: 'th_bank_transfer', ...transfer, banks: { bbl: 'zqlocal-T1' }, receipt: 'required' },
  { method: 'th_promptpay', ...qr },
  { method: 'th_mobile_banking', ...redirect, provider: SPARE, cancel_pending: false },
]

/**
 * `omega` has no route, so it is a bank without configured execution. `delta` has one, at the provider that is never
 * healthy.
 */
const BANKS: Record<string, string[]> = {
  probe_banks: ['alpha', 'beta', 'gamma', 'delta', 'omega'],
  probe_form: ['alpha', 'omega'],
  th_bank_transfer: ['bbl'],
}

export interface Catalogue {
  providers: { id: string; healthy: boolean }[]
  methods: Method[]
  routes: Route[]
}

export function probeCatalogue(change: (routes: Route[]) => Route[] = routes => routes): Catalogue {
  const routes = change(ROUTES).map((route, index) => ({
    id: `zqroute-${index}`,
    provider: MAIN,
    local_code: `ZQLOCAL-${index}`,
    environments: ['test', 'live'],
    country: 'TH',
    currency: 'THB',
    min_amount: '100',
    max_amount: '200000000',
    checkout_modes: ['hosted', 'merchant'],
    payer: {},
    banks: {},
    receipt: 'none',
    cancel_pending: true,
    ...route,
  }))
  return {
    providers: [MAIN, SPARE, LONG_NAMED, SICK].map(id => ({ id, healthy: id !== SICK })),
    methods: [...new Set(routes.map(route => route.method))].map(methodOf),
    routes,
  }
}

/**
 * Three Thai methods only, one for each kind of next action, with codes of the default catalogue. They require no payer
 * details.
 */
export const plainCatalogue = () =>
  probeCatalogue(routes => routes.filter(({ method }) => method.startsWith('th_')))

function methodOf(code: string): Method {
  const redirects = ROUTES.some(route => route.method === code && route.action === 'redirect_to_url')
  return {
    code,
    label: labelOf(code),
    category: redirects ? 'bank_redirect' : 'bank_transfer',
    banks: (BANKS[code] ?? []).map(bank => ({ code: bank, label: labelOf(bank) })),
  }
}

export function labelOf(code: string): string {
  return `The ${code.replaceAll('_', ' ')}`
}
