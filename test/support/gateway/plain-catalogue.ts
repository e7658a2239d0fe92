export interface Catalogue {
  providers: { id: string; healthy: boolean }[]
  methods: Record<string, unknown>[]
  routes: Record<string, unknown>[]
}

/** A text that no merchant may see, in every field of the catalogue that is local to a provider. */
export const SENTINEL = 'zq9hidden'

/**
 * Three Thai methods, one for each kind of next action, with codes of the default catalogue. They require no payer
 * details, so a test names only what it is about.
 */
export function plainCatalogue(mark = 'plain'): Catalogue {
  const common = {
    provider: `${mark}-one`,
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
  }
  return {
    providers: [
      { id: `${mark}-one`, healthy: true },
      { id: `${mark}-two`, healthy: true },
    ],
    methods: [
      {
        code: 'th_bank_transfer',
        label: 'Thai bank transfer',
        category: 'bank_transfer',
        banks: [{ code: 'bbl', label: 'Bangkok Bank' }],
      },
      { code: 'th_promptpay', label: 'PromptPay', category: 'bank_transfer', banks: [] },
      { code: 'th_mobile_banking', label: 'Mobile banking', category: 'bank_redirect', banks: [] },
    ],
    routes: [
      {
        ...common,
        id: `${mark}-transfer`,
        method: 'th_bank_transfer',
        local_code: `${mark.toUpperCase()}-BT-01`,
        action: 'display_bank_transfer_instructions',
        banks: { bbl: `${mark}002` },
        receipt: 'required',
      },
      {
        ...common,
        id: `${mark}-qr`,
        method: 'th_promptpay',
        local_code: `${mark.toUpperCase()}-QR-01`,
        action: 'display_qr_code',
      },
      {
        ...common,
        id: `${mark}-redirect`,
        provider: `${mark}-two`,
        method: 'th_mobile_banking',
        local_code: `${mark.toUpperCase()}-MB-01`,
        action: 'redirect_to_url',
        cancel_pending: false,
      },
    ],
  }
}
