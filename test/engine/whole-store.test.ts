import { expect, test } from 'vitest'
import type { Entry } from '../../src/domain/events.ts'
import type { Account } from '../../src/engine/account/account.ts'
import { MemoryChanges } from '../../src/engine/store/change-log.ts'
import { Registry } from '../../src/engine/store/registry.ts'
import { MemoryStore } from '../../src/engine/store/store.ts'
import { checkStore } from '../../src/engine/store/whole-store.ts'
import { entriesTo, entryNumber } from '../support/engine/entries.ts'
import { SteadyTime } from '../support/engine/steady-time.ts'

const ACCOUNT = { seed: 'seed', keys: [], keysMade: 0 }
const SHOP = { id: 'shop', name: 'Shop', checkoutModes: [], seeded: false, setup: {} }

/** Its test account has these entries, and the state that others make, as from a checkpoint. */
class TwoFacedStore extends MemoryStore {
  constructor(
    private readonly entries: readonly Entry[],
    private readonly told: readonly Entry[],
  ) {
    super()
  }

  override async openRegistry() {
    const registry = await Registry.open(new MemoryChanges())
    await registry.add({ ...SHOP, accounts: { test: ACCOUNT, live: ACCOUNT } })
    return registry
  }

  override async openAccount(account: Account) {
    const kept = await super.openAccount(account)
    if (account.environment === 'live') return kept
    this.entries.forEach(entry => void kept.journal.append(entry))
    this.told.forEach(account.applyEntry)
    await kept.images.put('d', [Buffer.from('an image')])
    return kept
  }
}

const check = async (entries: readonly Entry[], told = entries) =>
  (await checkStore(new TwoFacedStore(entries, told), new SteadyTime())).problems

test('a state that follows from its entries is consistent', async () => {
  expect(await check(entriesTo(3))).toEqual([])
})

test.each([
  [
    'a record less',
    entriesTo(3),
    [...entriesTo(2), { ...entryNumber(3), events: [] }],
    'its checkpoint has 2 assets, but its entries make 3',
  ],
  [
    'another record',
    entriesTo(3),
    [...entriesTo(2), entryNumber(3, 'ast_9')],
    'its checkpoint has another version of ast_3 than its entries',
  ],
  [
    'a state of an earlier entry',
    entriesTo(3),
    entriesTo(2),
    'there are entries up to 3, but its state is that of 2',
  ],
  [
    'an entry that is missing',
    [entryNumber(1), entryNumber(3)],
    entriesTo(3),
    'entry 2 is missing: the next one is 3',
  ],
])('%s is a problem', async (_, entries, told, message) => {
  expect(await check(entries, told)).toEqual([{ account: 'shop.test', message }])
})

test('a missing image is a problem', async () => {
  const event = {
    type: 'AssetStored',
    asset: 'ast_1',
    kind: 'other',
    size: 1,
    contentType: 'image/png',
  } as const
  const entry = { ...entryNumber(1), events: [{ ...event, digest: 'other' }] }
  expect(await check([entry])).toEqual([
    { account: 'shop.test', message: 'the image other is missing or damaged' },
  ])
})
