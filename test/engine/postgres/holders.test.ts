import { describe, expect, test } from 'vitest'
import type { HoldingListener } from '../../../src/engine/store/holders.ts'
import { createPayment } from '../../support/engine/accounts.ts'
import {
  addressOf,
  type OpenedAccount,
  openAccount,
  openStore,
} from '../../support/engine/database-stores.ts'
import { workerPostgres } from '../../support/postgres/postgres.ts'
import { whyNoPostgres } from '../../support/postgres/programs.ts'

const why = whyNoPostgres()
if (why !== undefined) console.log(`skipped: holders of accounts, because ${why}`)

const PATIENT = () => AbortSignal.timeout(30_000)

const LISTENER: HoldingListener = {
  lost: () => {},
  due: () => {},
  prepareToGive: async () => {},
  isMaking: () => false,
  mayGive: () => true,
  give: async () => {},
}

async function twoStores() {
  const postgres = await workerPostgres()
  const url = await postgres.newDatabase()
  const name = new URL(url).pathname.slice(1)
  const sql = (text: string) => postgres.query(name, `SET search_path = paysim; ${text}`)
  return { one: await openStore(url), other: await openStore(url), sql }
}

const payments = ({ account }: OpenedAccount) =>
  [...account.world.payments.values()].map(({ sortKey: { id } }) => id)

describe.skipIf(why !== undefined)('accounts of several processes', () => {
  test('are held by the process they belong to, and both of a merchant by the same', async () => {
    const { one, other } = await twoStores()
    const merchants = Array.from({ length: 40 }, (_, nth) => `m${nth}`)
    const asked = await Promise.all(
      merchants.map(name => one.holders.remoteHolder(`${name}.test`, PATIENT())),
    )
    const here = merchants.filter((_, nth) => asked[nth] === undefined)
    expect(here.length).toBeGreaterThan(10)
    expect(here.length).toBeLessThan(30)
    for (const [nth, name] of merchants.entries()) {
      const isHere = asked[nth] === undefined
      expect(one.holders.mayAnswer(`${name}.live`)).toBe(isHere)
      expect(asked[nth] ?? addressOf(other)).toBe(addressOf(other))
      expect(await other.holders.remoteHolder(`${name}.live`, PATIENT())).toBe(
        isHere ? addressOf(one) : undefined,
      )
    }
  })

  test('are held by a process that needs one, even if they belong to another', async () => {
    const { one, other } = await twoStores()
    for (const account of ['m1.test', 'm2.test', 'm3.test', 'm4.test']) {
      expect(await one.holders.hold(account, PATIENT())).toBeUndefined()
      expect(await other.holders.hold(account, PATIENT())).toBe(addressOf(one))
      expect(await other.holders.remoteHolder(account, PATIENT())).toBe(addressOf(one))
    }
  })

  test('are taken by only one of several that ask at once', async () => {
    const { one, other } = await twoStores()
    const asked = [one, other, one, other].map(store => store.holders.hold('acme.test', PATIENT()))
    const here = (await Promise.all(asked)).map(address => address === undefined)
    expect(here[0]).toBe(here[2])
    expect(here[1]).toBe(here[3])
    expect(here[0]).not.toBe(here[1])
  })

  test('are free at once when their process stops', async () => {
    const { one, other } = await twoStores()
    const before = await openAccount(one)
    const id = createPayment(before.account)
    await before.journal.durable(1)
    await before.account.close()
    await one.release()
    expect(payments(await openAccount(other))).toEqual([id])
  })

  test('are taken over after a lease expires, and the old holder writes nothing more', async () => {
    const { one, other, sql } = await twoStores()
    const before = await openAccount(one)
    const id = createPayment(before.account)
    await before.journal.durable(1)
    const lost: (string | undefined)[] = []
    one.holders.watch({ ...LISTENER, lost: merchant => lost.push(merchant) })
    // As another process does when the lease ran out: the next renewal comes too late.
    await sql('UPDATE processes SET ended = true WHERE id = (SELECT holder FROM holdings)')
    const after = await openAccount(other)
    expect(payments(after)).toEqual([id])
    createPayment(before.account)
    await expect(before.journal.durable(2)).rejects.toThrow('nothing was changed')
    expect(lost).toContain('acme')
    expect(one.holders.mayAnswer('acme.test')).toBe(false)
    const second = createPayment(after.account)
    await after.journal.durable(2)
    expect(await sql('SELECT seq FROM entries ORDER BY seq')).toBe('1\n2')
    await expect.poll(() => one.holders.remoteHolder('acme.test', PATIENT())).toBe(addressOf(other))
    expect(payments(after)).toEqual([id, second])
  })

  test('remain with a process that is gone until its lease expires', async () => {
    const { other, sql } = await twoStores()
    await sql(`WITH gone AS (
        INSERT INTO processes (node, address, renewed_at, wall_ms) VALUES ('gone', 'http://gone.test', clock_timestamp(), 0)
        RETURNING id)
      INSERT INTO holdings SELECT 'acme', id, 1 FROM gone`)
    expect(await other.holders.hold('acme.test', PATIENT())).toBe('http://gone.test')
    await expect.poll(() => other.holders.hold('acme.test', PATIENT())).toBeUndefined()
    const age = await sql(
      `SELECT clock_timestamp() - renewed_at >= interval '3 s', ended, wall_ms >= 3000 FROM processes WHERE node = 'gone'`,
    )
    expect(age).toBe('t|t|t')
    const stopped = new AbortController()
    stopped.abort(new Error('nobody waits'))
    await expect(other.holders.hold('shop.test', stopped.signal)).rejects.toThrow('nobody waits')
  })

  test('are not answered from memory when the lease was not renewed in time', async () => {
    const { one, other, sql } = await twoStores()
    await openAccount(one)
    const lost: (string | undefined)[] = []
    one.holders.watch({ ...LISTENER, lost: merchant => lost.push(merchant) })
    await sql('UPDATE processes SET ended = true WHERE id = (SELECT holder FROM holdings)')
    await expect.poll(() => lost).toEqual([undefined])
    expect(one.holders.mayAnswer('acme.test')).toBe(false)
    expect(await other.holders.remoteHolder('acme.test', PATIENT())).toBeUndefined()
  })

  test('with due timers are found through an index, however many accounts have none', async () => {
    const { one, sql } = await twoStores()
    const due: string[] = []
    one.holders.watch({ ...LISTENER, due: account => due.push(account) })
    await sql(`INSERT INTO accounts (id, merchant, writer, epoch, edition, last, wake_ms)
      SELECT 'm' || n || '.test', 'm' || n, 0, 1, 1, 0, CASE WHEN n = 7 THEN 1 END FROM generate_series(1, 20000) n;
      ANALYZE accounts`)
    const read = async () =>
      Number(await sql(`SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'accounts'`))
    const before = await read()
    await expect
      .poll(async () =>
        Number(
          await sql(`SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'accounts_by_wake'`),
        ),
      )
      .toBeGreaterThan(2)
    expect([...new Set(due)]).toEqual(['m7.test'])
    // Before the table was analysed, one look may have read it as a whole.
    expect((await read()) - before).toBeLessThanOrEqual(2 * 20_000)
  })

  test('of a removed merchant are released when their process stops', async () => {
    const { one, other, sql } = await twoStores()
    expect(await one.holders.hold('ghost.test', PATIENT())).toBeUndefined()
    const kept = await openAccount(other, 'acme.test')
    await kept.account.close()
    await Promise.all([one.release(), other.release()])
    expect(await sql('SELECT merchant FROM holdings')).toBe('acme')
  })

  test('share one list of merchants, in which no two change a merchant at once', async () => {
    const { one, other } = await twoStores()
    const lists = [await one.openRegistry(), await other.openRegistry()] as const
    const { drawMerchant } = await import('../../../src/engine/store/new-merchant.ts')
    await lists[0].add(drawMerchant('shop', {}, '1'))
    expect(lists[1].find('shop')).toBeUndefined()
    await lists[1].catchUp()
    expect(lists[1].find('shop')?.name).toBe('Shop')
    // Neither knows what the other writes at the same time.
    await Promise.all([
      lists[0].update('shop', merchant => ({ ...merchant, name: `${merchant.name}!` })),
      lists[1].update('shop', merchant => ({ ...merchant, name: `${merchant.name}?` })),
    ])
    await Promise.all(lists.map(list => list.catchUp()))
    expect(lists[0].find('shop')?.name).toMatch(/^Shop(!\?|\?!)$/)
    expect(lists[1].find('shop')).toEqual(lists[0].find('shop'))
    await expect(lists[1].add(drawMerchant('shop', {}, '2'))).rejects.toThrow('Merchant shop exists')
  })
})
