import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Account } from '../../src/engine/account/account.ts'
import { DatabaseStore } from '../../src/engine/postgres/database-store.ts'
import { DataDirectory } from '../../src/engine/store/data-directory.ts'
import { digestOf } from '../../src/engine/store/image-store.ts'
import { drawMerchant } from '../../src/engine/store/new-merchant.ts'
import { type AccountStore, MemoryStore, type Store } from '../../src/engine/store/store.ts'
import { anAccountWithoutJournal, createPayment } from '../support/engine/accounts.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** What every store must do, and what one must do that keeps anything beyond the end of the process. */
interface Kind {
  readonly name: string
  readonly keeps: boolean
  /** Whether one process at a time serves it. */
  readonly sole?: boolean
  /** Returns what opens the same store again and again. */
  readonly prepare: () => Promise<() => Promise<Store>>
}

const directory = (sync: boolean) => async () => {
  const path = join(await temporaryDirectory(), 'data')
  return () => DataDirectory.claim(path, { sync, wall: Date.now, warn: () => {} })
}

const database = async () => {
  const url = await (await workerPostgres()).newDatabase()
  const time = { wall: Date.now, monotonic: () => performance.now() }
  return () => DatabaseStore.claim(url, { sync: true, time, warn: () => {} })
}

const kinds: Kind[] = [
  { name: 'in memory', keeps: false, prepare: async () => async () => new MemoryStore() },
  { name: 'in a directory', keeps: true, sole: true, prepare: directory(true) },
  { name: 'in a directory, unsynced', keeps: true, sole: true, prepare: directory(false) },
]
if (whyNoPostgres() === undefined) kinds.push({ name: 'in PostgreSQL', keeps: true, prepare: database })
else console.log(`skipped: a store in PostgreSQL, because ${whyNoPostgres()}`)
const lasting = kinds.filter(({ keeps }) => keeps)

interface Opened extends AccountStore {
  readonly account: Account
}

/** Opens a store with a merchant, as a start does. */
async function start(open: () => Promise<Store>) {
  const store = await open()
  const registry = await store.openRegistry()
  const accounts = ['acme.test', 'acme.live']
  if (!registry.find('acme')) {
    await store.announceChange(accounts)
    for (const id of accounts) await (await openAccount(store, id)).account.close()
    await registry.add(drawMerchant('acme', {}, '1'))
    await store.endChange(accounts)
  }
  const stop = async () => {
    await registry.close()
    await store.release()
  }
  onTestFinished(stop)
  return { store, registry, stop }
}

/** The account as a start opens it. */
async function openAccount(store: Store, id = 'acme.test'): Promise<Opened> {
  const account = anAccountWithoutJournal(undefined, id)
  const kept = await store.openAccount(account)
  account.open(kept.journal, 0, kept.checkpoints)
  onTestFinished(() => account.close())
  return { account, ...kept }
}

/** Payments whose entries are safe. */
async function addPayments({ account, journal }: Opened, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => createPayment(account))
  await journal.durable(account.world.seq)
  return ids
}

const paymentsOf = ({ account }: Opened) =>
  [...account.world.payments.values()].map(({ sortKey }) => sortKey.id)

async function linesOf({ journal }: Opened): Promise<number[]> {
  const numbers: number[] = []
  for await (const line of journal.lines()) numbers.push(JSON.parse(line).seq)
  return numbers
}

const bytes = Buffer.from('an image')
const digest = digestOf(bytes)

describe.each(kinds)('a store $name', ({ prepare }) => {
  test('has the history of one record and of all records', async () => {
    const opened = await openAccount((await start(await prepare())).store)
    const [first = '', second = ''] = await addPayments(opened, 2)
    const types = async (id: string) =>
      (await opened.journal.history(id)).flatMap(({ events }) => events.map(({ type }) => type))
    expect(await types(first)).toContain('PaymentCreated')
    expect((await opened.journal.history(first)).map(({ seq }) => seq)).toEqual([1])
    expect((await opened.journal.history(second)).map(({ seq }) => seq)).toEqual([2])
    expect(await opened.journal.history('pi_unknown')).toEqual([])
    expect(await linesOf(opened)).toEqual([1, 2])
  })

  test('keeps accounts apart', async () => {
    const { store } = await start(await prepare())
    const [one, other] = [await openAccount(store, 'acme.test'), await openAccount(store, 'acme.live')]
    const ids = await addPayments(one, 3)
    await one.images.put(digest, [bytes])
    expect(paymentsOf(one)).toEqual(ids)
    expect([paymentsOf(other), await linesOf(other), await other.images.get(digest)]).toEqual([
      [],
      [],
      undefined,
    ])
  })

  test('replaces a history as a whole', async () => {
    const opened = await openAccount((await start(await prepare())).store)
    await addPayments(opened, 3)
    const source = await openAccount(new MemoryStore())
    const ids = await addPayments(source, 1)
    await opened.account.rewrite(await source.journal.history(ids[0] ?? ''), 'another seed')
    expect(paymentsOf(opened)).toEqual(ids)
    expect([await linesOf(opened), opened.journal.seed]).toEqual([[1], 'another seed'])
    await addPayments(opened, 1)
    expect(await linesOf(opened)).toEqual([1, 2])
  })

  test('makes no caller wait for entries that are being replaced', async () => {
    const opened = await openAccount((await start(await prepare())).store)
    await addPayments(opened, 3)
    const source = await openAccount(new MemoryStore())
    const [id = ''] = await addPayments(source, 1)
    const { account, journal } = opened
    let isOver = false
    const rewriting = account.rewrite(await source.journal.history(id), 'another seed').finally(() => {
      isOver = true
    })
    while (!isOver) {
      // As a reader asks it now. What it returned for an entry that is gone would never come.
      expect(journal.durable(account.world.seq)).toBeUndefined()
      await new Promise(setImmediate)
    }
    await rewriting
  })

  test('removes the accounts of a merchant that was never listed without a trace', async () => {
    const { store } = await start(await prepare())
    await store.announceChange(['shop.test'])
    const draft = await openAccount(store, 'shop.test')
    await addPayments(draft, 1)
    await draft.account.close()
    await store.removeAccounts(['shop.test'])
    expect(paymentsOf(await openAccount(store, 'shop.test'))).toEqual([])
  })
})

describe.each(lasting)('a store $name', ({ prepare }) => {
  test('restores an account', async () => {
    const open = await prepare()
    const first = await start(open)
    const before = await openAccount(first.store)
    const ids = await addPayments(before, 5)
    await before.images.put(digest, [bytes])
    await before.account.close()
    await first.stop()

    const after = await openAccount((await start(open)).store)
    expect(paymentsOf(after)).toEqual(ids)
    expect(after.account.world.seq).toBe(before.account.world.seq)
    expect(await after.images.get(digest)).toEqual(bytes)
    await addPayments(after, 1)
    expect(await linesOf(after)).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('has the replaced history after a start, with its seed', async () => {
    const open = await prepare()
    const first = await start(open)
    const before = await openAccount(first.store)
    const [id = ''] = await addPayments(before, 2)
    await before.account.rewrite(await before.journal.history(id), 'another seed')
    await before.account.close()
    await first.stop()

    const after = await openAccount((await start(open)).store)
    expect([paymentsOf(after), after.journal.seed]).toEqual([[id], 'another seed'])
  })

  test('restores the list of merchants', async () => {
    const open = await prepare()
    const { store, registry, stop } = await start(open)
    const merchants = ['b', 'c', 'd'].map(id => drawMerchant(id, {}, '1'))
    const accounts = (id: string) => [`${id}.test`, `${id}.live`]
    for (const { id } of merchants) await store.announceChange(accounts(id))
    await Promise.all(merchants.map(merchant => registry.add(merchant)))
    await registry.update('d', merchant => ({ ...merchant, name: 'Renamed' }))
    await registry.remove('c')
    await store.removeAccounts(accounts('c'))
    const listed = registry.merchants
    expect(listed.map(({ name }) => name)).toEqual(['Acme', 'B', 'Renamed'])
    // A change that did not end: the list decides.
    await store.announceChange(accounts('never'))
    const interrupted = await openAccount(store, 'never.test')
    await addPayments(interrupted, 1)
    await interrupted.account.close()
    await stop()

    const again = await start(open)
    expect(again.registry.merchants).toEqual(listed)
    expect(paymentsOf(await openAccount(again.store, 'never.test'))).toEqual([])
  })
})

describe.each(kinds.filter(({ sole }) => sole))('a store $name', ({ prepare }) => {
  test('is served by one process at a time', async () => {
    const open = await prepare()
    const first = await open()
    await expect(open()).rejects.toThrow('already serves')
    await first.release()
    await (await open()).release()
  })
})
