import { resolveContract } from '../../src/contract/resolve-contract.ts'
import { indexCatalogue } from '../../src/domain/catalogue.ts'
import { Account } from '../../src/engine/account.ts'
import type { Journal } from '../../src/engine/journal.ts'
import { MemoryJournal } from '../../src/engine/memory-journal.ts'
import { aRoute } from '../domain/decisions.ts'

interface Settings {
  readonly wall?: () => number
  readonly journal?: Journal
}

/** An account that lives in memory, with one route and no rules. */
export function anAccount({ wall = Date.now, journal = new MemoryJournal() }: Settings = {}): Account {
  const account = new Account({
    id: 'acme.test',
    environment: 'test',
    seed: 'a seed',
    wall,
    surroundings: () => ({
      contract: resolveContract(),
      merchantName: 'Acme',
      checkoutModes: ['hosted', 'merchant'],
      catalogue: indexCatalogue({
        providers: [{ id: 'siam' }],
        methods: [{ code: 'transfer', label: 'Transfer', category: 'bank_transfer' }],
        routes: [aRoute()],
      }),
      rules: [],
    }),
  })
  account.start(journal)
  return account
}

export function createPayment(account: Account): string {
  const request = { amount: '5000', currency: 'THB', country: 'TH', customer: {}, payment_method: 'transfer' }
  const outcome = account.execute({ type: 'CreatePayment', request }, 'merchant')
  if (!('id' in outcome)) throw new Error('the payment was refused')
  return outcome.id
}
