import { describe, expect, onTestFinished, test } from 'vitest'
import { UnavailableError } from '../../../src/engine/store/store-errors.ts'
import { startTcpProxy } from '../../support/cluster/tcp-proxy.ts'
import { createPayment } from '../../support/engine/accounts.ts'
import { openAccount, openStore } from '../../support/engine/database-stores.ts'
import { startPostgres, workerPostgres } from '../../support/postgres/postgres.ts'
import { whyNoPostgres } from '../../support/postgres/programs.ts'

const why = whyNoPostgres()
if (why !== undefined) console.log(`skipped: a database that fails, because ${why}`)

async function numbersOf(lines: AsyncIterable<string>): Promise<number[]> {
  const numbers: number[] = []
  for await (const line of lines) numbers.push(JSON.parse(line).seq)
  return numbers
}

/** A store whose connections a test can silence, with one account, whose next write waits in the database. */
async function aWriteUnderWay() {
  const postgres = await workerPostgres()
  const url = await postgres.newDatabase()
  const name = new URL(url).pathname.slice(1)
  const sql = (text: string) => postgres.query(name, `SET search_path = paysim; ${text}`)
  const wire = await startTcpProxy([postgres.port])
  onTestFinished(() => wire.close())
  const wired = new URL(url)
  wired.port = String(wire.port)
  const other = await openStore(url)
  const before = await openAccount(await openStore(wired.href))
  createPayment(before.account)
  await before.journal.durable(1)
  /** Holds the account's row until the test says go, and changes it then. */
  const held = sql(`SET statement_timeout = '50s';
    DO $$ BEGIN
      PERFORM FROM accounts FOR UPDATE;
      WHILE NOT EXISTS (SELECT FROM used WHERE what = 'go') LOOP PERFORM pg_sleep(0.02); END LOOP;
      UPDATE accounts SET epoch = epoch + 1 WHERE EXISTS (SELECT FROM used WHERE what = 'taken');
    END $$`)
  const waiting = (condition: string) =>
    expect
      .poll(() => sql(`SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = '${name}' AND ${condition}`))
      .toBe('t')
  await waiting(`query LIKE '%LOOP%' AND wait_event = 'PgSleep'`)
  createPayment(before.account)
  const durable = before.journal.durable(2)
  durable?.catch(() => {})
  await waiting(`wait_event_type = 'Lock'`)
  wire.silence()
  const goOn = async (isTaken: boolean) => {
    await sql(
      `INSERT INTO used SELECT what, now() + interval '1 day' FROM unnest('{${isTaken ? 'taken,' : ''}go}'::text[]) what`,
    )
    await held
    await expect
      .poll(() =>
        sql(
          `SELECT count(*) FROM pg_stat_activity WHERE datname = '${name}' AND state = 'active' AND query LIKE '%INSERT INTO entries %'`,
        ),
      )
      .toBe('1')
    // Another process takes the account before this one learns what became of its write.
    await sql('UPDATE processes SET ended = true WHERE id = (SELECT holder FROM holdings)')
    return openAccount(other)
  }
  const reconnect = () => {
    wire.cut()
    wire.speak()
  }
  return { before, durable, goOn, reconnect }
}

describe.skipIf(why !== undefined)('a database that fails', () => {
  test('reports a write as done that succeeded after its process lost the account', async () => {
    const { before, durable, goOn, reconnect } = await aWriteUnderWay()
    const after = await goOn(false)
    expect(after.account.world.seq).toBe(2)
    reconnect()
    await durable
    createPayment(before.account)
    await expect(before.journal.durable(3)).rejects.toThrow('nothing was changed')
  })

  test('reports a lost write as not done, whatever the next holder wrote', async () => {
    const { before, durable, goOn, reconnect } = await aWriteUnderWay()
    const after = await goOn(true)
    // The same number, and with a clock that stands still it could be the same entry.
    createPayment(after.account)
    await after.journal.durable(2)
    reconnect()
    await expect(durable).rejects.toThrow('nothing was changed')
    expect(before.journal.moved).toBe(true)
  })

  test('loses and repeats nothing when it is restarted under load', async () => {
    const postgres = await startPostgres()
    try {
      const store = await openStore(await postgres.newDatabase())
      const { account, journal } = await openAccount(store)
      let safe = 0
      let goOn = true
      const answered = new Set<string>()
      const load = (async () => {
        while (goOn) {
          const ids = Array.from({ length: 5 }, () => createPayment(account))
          const { seq } = account.world
          try {
            await journal.durable(seq)
            for (const id of ids) answered.add(id)
            safe = seq
          } catch {
            // It was down for long, and nobody knows what became of these.
            await expect.poll(() => account.available()).toBe(true)
          }
        }
      })()
      await expect.poll(() => safe).toBeGreaterThan(20)
      for (const mode of ['fast', 'immediate'] as const) {
        await postgres.restart(mode)
        const before = safe
        await expect.poll(() => safe).toBeGreaterThan(before + 20)
      }
      goOn = false
      await load
      const numbers = await numbersOf(journal.lines())
      expect(numbers).toEqual(Array.from({ length: account.world.seq }, (_, nth) => nth + 1))
      const kept = new Set([...account.world.payments.values()].map(({ sortKey: { id } }) => id))
      expect([...answered].filter(id => !kept.has(id))).toEqual([])
    } finally {
      await postgres.end()
    }
  })

  test('discards a refused change, and accepts the next one as soon as possible', async () => {
    const postgres = await workerPostgres()
    const url = await postgres.newDatabase()
    const name = new URL(url).pathname.slice(1)
    const { account, journal } = await openAccount(await openStore(url))
    createPayment(account)
    await journal.durable(1)
    await postgres.query(
      name,
      `ALTER TABLE paysim.entries ADD CONSTRAINT full_disk CHECK (seq < 2) NOT VALID`,
    )
    createPayment(account)
    await expect(journal.durable(2)).rejects.toThrow('nothing was changed')
    await expect.poll(() => account.world.seq).toBe(1)
    await postgres.query(name, 'ALTER TABLE paysim.entries DROP CONSTRAINT full_disk')
    await expect.poll(() => account.available()).toBe(true)
    createPayment(account)
    await journal.durable(2)
    expect(await numbersOf(journal.lines())).toEqual([1, 2])
  })

  test('is only reported as unavailable while it cannot even be read', async () => {
    const postgres = await workerPostgres()
    const url = await postgres.newDatabase()
    const name = new URL(url).pathname.slice(1)
    const { account, journal } = await openAccount(await openStore(url))
    const id = createPayment(account)
    await journal.durable(1)
    await postgres.query(name, 'ALTER TABLE paysim.entries RENAME TO aside')
    createPayment(account)
    await expect(journal.durable(2)).rejects.toBeInstanceOf(UnavailableError)
    await expect(account.settled()).rejects.toBeInstanceOf(UnavailableError)
    await expect(journal.history(id)).rejects.toBeInstanceOf(UnavailableError)
    expect(await account.available()).toBe(false)
    await postgres.query(name, 'ALTER TABLE paysim.aside RENAME TO entries')
    await expect.poll(() => account.available()).toBe(true)
    expect([...account.world.payments].map(([known]) => known)).toEqual([id])
  })
})
