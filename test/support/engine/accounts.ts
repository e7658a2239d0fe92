import { resolveContract } from '../../../src/contract/resolve-contract.ts'
import { indexCatalogue } from '../../../src/domain/catalogue.ts'
import { Account } from '../../../src/engine/account/account.ts'
import { type Journal, MemoryJournal } from '../../../src/engine/journal/journal.ts'
import type { RealTime } from '../../../src/engine/time/real-time.ts'
import { aRoute } from '../domain/decisions.ts'
import { SteadyTime } from './steady-time.ts'

interface Settings {
  readonly time?: RealTime
  readonly journal?: Journal
}

/** An account that lives in memory, with one route and no rules. */
export function anAccount({ time, journal = new MemoryJournal() }: Settings = {}): Account {
  const account = anAccountWithoutJournal(time)
  account.start(journal)
  return account
}

export function anAccountWithoutJournal(time: RealTime = new SteadyTime(), id = 'acme.test'): Account {
  return new Account({
    id,
    environment: 'test',
    seed: 'a seed',
    secret: () => 'a seed',
    time,
    outerContext: () => ({
      // The page is open for half an hour, and its end is the first timer that is due.
      contract: resolveContract({ 'hosted.page': '30m' }),
      merchantName: 'Acme',
      checkoutModes: ['hosted', 'merchant'],
      catalogue: indexCatalogue({
        providers: [{ id: 'siam' }],
        methods: [{ code: 'transfer', label: 'Transfer', category: 'bank_transfer' }],
        routes: [aRoute()],
      }),
      rules: [],
      webhookBody: ({ id }) => `{"id":"${id}"}`,
    }),
  })
}

export function createPayment(account: Account, customer = {}): string {
  const request = { amount: '5000', currency: 'THB', country: 'TH', customer, payment_method: 'transfer' }
  const outcome = account.execute({ type: 'CreatePayment', request }, 'merchant')
  if (!('id' in outcome)) throw new Error('the payment was refused')
  return outcome.id
}
