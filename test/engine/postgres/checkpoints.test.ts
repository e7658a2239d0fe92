import { describe, expect, test } from 'vitest'
import { createPayment } from '../../support/engine/accounts.ts'
import { openAccount, openStore } from '../../support/engine/database-stores.ts'
import { workerPostgres } from '../../support/postgres/postgres.ts'
import { whyNoPostgres } from '../../support/postgres/programs.ts'

const why = whyNoPostgres()
if (why !== undefined) console.log(`skipped: checkpoints in a database, because ${why}`)

async function aDatabase() {
  const postgres = await workerPostgres()
  const url = await postgres.newDatabase()
  const name = new URL(url).pathname.slice(1)
  return { url, sql: (text: string) => postgres.query(name, `SET search_path = paysim; ${text}`) }
}

describe.skipIf(why !== undefined)('checkpoints in a database', () => {
  test('bring an account to another process without the entries that they cover', async () => {
    const { url, sql } = await aDatabase()
    const one = await openStore(url, { every: 40 })
    const before = await openAccount(one)
    const ids: string[] = []
    // Enough for several layers, which are merged.
    for (let round = 0; round < 8; round++) {
      for (let nth = 0; nth < 41; nth++) ids.push(createPayment(before.account))
      await before.journal.durable(before.account.world.seq)
      await before.checkpoints?.idle()
    }
    await before.account.close()
    await one.release()
    const covered = before.checkpoints?.seq ?? 0
    expect(covered).toBeGreaterThan(200)
    await sql(`DELETE FROM entries WHERE seq <= ${covered}`)

    const other = await openStore(url)
    const { account, journal, checkpoints } = await openAccount(other)
    expect(checkpoints?.seq).toBe(covered)
    expect(ids.filter(id => account.world.payments.get(id) === undefined)).toEqual([])
    expect(account.world.payments.size).toBe(ids.length)
    createPayment(account)
    await journal.durable(account.world.seq)
    // No file is left that no checkpoint names.
    expect(
      await sql(
        'SELECT (SELECT count(*) FROM files) = (SELECT count(*) FROM accounts a, json_each_text(a.checkpoint::json))',
      ),
    ).toBe('t')
  })

  test('provide many records while they are packed, and after the next checkpoint', async () => {
    const { url, sql } = await aDatabase()
    const count = 300
    const large = { name: 'Somchai '.repeat(5000) }
    const one = await openStore(url, { every: count })
    const before = await openAccount(one)
    const ids = Array.from({ length: count }, () => createPayment(before.account, large))
    await before.journal.durable(count)
    await before.checkpoints?.idle()
    await before.account.close()
    await one.release()
    // Of a file of one part, nothing would come packed.
    expect(Number(await sql('SELECT max(chunks) FROM files'))).toBeGreaterThanOrEqual(8)
    await sql(`DELETE FROM entries WHERE seq <= ${count}`)

    const other = await openStore(url, { every: 10 })
    const { account, journal, checkpoints } = await openAccount(other)
    const missing = (world = account.world) => ids.filter(id => world.payments.get(id) === undefined)
    expect(missing()).toEqual([])
    for (let nth = 0; nth < 10; nth++) ids.push(createPayment(account))
    await journal.durable(account.world.seq)
    await checkpoints?.idle()
    expect(checkpoints?.seq).toBe(count + 10)
    expect(missing()).toEqual([])
    await account.close()
    await other.release()
    const third = await openAccount(await openStore(url))
    expect(third.account.world.payments.size).toBe(ids.length)
    expect(missing(third.account.world)).toEqual([])
  })

  test('start over with another history', async () => {
    const { url } = await aDatabase()
    const one = await openStore(url, { every: 20 })
    const before = await openAccount(one)
    for (let nth = 0; nth < 30; nth++) createPayment(before.account)
    await before.journal.durable(30)
    await before.checkpoints?.idle()
    const entries = [
      ...(await before.journal.history([...before.account.world.payments.values()][0]?.sortKey.id ?? '')),
    ]
    await before.account.rewrite(entries.slice(0, 1), 'another seed')
    const ids = [...before.account.world.payments.values()].map(({ sortKey: { id } }) => id)
    for (let nth = 0; nth < 30; nth++) ids.push(createPayment(before.account))
    await before.journal.durable(before.account.world.seq)
    await before.checkpoints?.idle()
    await before.account.close()
    await one.release()
    const { account } = await openAccount(await openStore(url))
    expect(account.world.payments.size).toBe(31)
    expect(ids.filter(id => account.world.payments.get(id) === undefined)).toEqual([])
  })
})
