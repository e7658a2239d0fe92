import { resolveContract } from '../../../src/contract/resolve-contract.ts'
import { indexCatalogue, type RouteEntry } from '../../../src/domain/catalogue.ts'
import type { Context } from '../../../src/domain/decide/index.ts'

export const aRoute = (differences: Partial<RouteEntry> = {}): RouteEntry => ({
  id: 'route-1',
  provider: 'siam',
  method: 'transfer',
  local_code: 'LOCAL-1',
  environments: ['test'],
  country: 'TH',
  currency: 'THB',
  checkout_modes: ['hosted', 'merchant'],
  action: 'redirect_to_url',
  receipt: 'none',
  cancel_pending: true,
  ...differences,
})

const CONTRACT = resolveContract()
const CATALOGUE = indexCatalogue({
  providers: [{ id: 'siam' }],
  methods: [{ code: 'transfer', label: 'Transfer', category: 'bank_transfer' }],
  routes: [aRoute()],
})

/** A server with one route, unless told otherwise. */
export function context(differences: Partial<Context> = {}): Context {
  let made = 0
  return {
    at: Date.UTC(2026, 0, 1),
    contract: CONTRACT,
    environment: 'test',
    merchantName: 'Acme',
    checkoutModes: ['hosted', 'merchant'],
    catalogue: CATALOGUE,
    rules: [],
    webhookBody: ({ id }) => `{"id":"${id}"}`,
    newId: prefix => `${prefix}_${++made}`,
    newSecret: () => 'whsec_x',
    chance: () => 0,
    ...differences,
  }
}
