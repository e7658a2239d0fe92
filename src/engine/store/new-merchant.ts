import type { CheckoutMode, Environment } from '../../contract/statuses.ts'
import type { Account } from '../account/account.ts'
import { secretOf } from '../account/account-secret.ts'
import { IdSource, randomSource } from '../account/ids.ts'
import { accountId } from '../account/open-runtime.ts'
import type { AccountSetup, MerchantRecord } from './merchant-record.ts'

export interface NewMerchant {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly checkoutModes?: readonly CheckoutMode[] | undefined
  readonly seed?: string | undefined
  readonly setup?: AccountSetup | undefined
}

/** The initial time of a seeded account with a virtual clock, so that its journal repeats. */
const SEEDED_EPOCH = Date.UTC(2026, 0, 1)

/** The stored record of a new merchant. */
export function drawMerchant(id: string, wanted: NewMerchant, ownSeed: string | null): MerchantRecord {
  const seed = wanted.seed ?? ownSeed
  const account = (environment: Environment) => {
    const source = seed === null ? randomSource() : { seed: `${seed}/${accountId(id, environment)}` }
    return { ...source, keys: [new IdSource(secretOf(source)).newKeyPair(environment, 0)], keysMade: 1 }
  }
  return {
    id,
    name: wanted.name ?? nameFrom(id),
    checkoutModes: [...(wanted.checkoutModes ?? ['hosted', 'merchant'])],
    seeded: seed !== null,
    setup: wanted.setup ?? {},
    accounts: { test: account('test'), live: account('live') },
  }
}

/** The first entries of an account, also after a reset. */
export async function setUp(account: Account, { setup, seeded }: MerchantRecord): Promise<void> {
  const { clock, catalogue, rules, webhooks } = setup
  if (clock) {
    const start = clock.now ?? (clock.mode === 'virtual' && seeded ? SEEDED_EPOCH : undefined)
    account.setClock(account.clock.change({ mode: clock.mode, at: start, rate: clock.rate }))
  }
  if (catalogue) account.execute({ type: 'ReplaceCatalogue', catalogue }, 'operator')
  if (rules) account.execute({ type: 'ReplaceRules', rules }, 'operator')
  for (const { url, environment, events } of webhooks ?? []) {
    if (environment && environment !== account.environment) continue
    account.execute({ type: 'AddEndpoint', url, events: events ?? null }, 'operator')
  }
  await account.journal.durable(account.world.seq)
}

/** The default name: `acme-store` becomes Acme Store. */
function nameFrom(id: string): string {
  return id
    .split(/[-_]/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}
