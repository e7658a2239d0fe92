import { describe, expect, test } from 'vitest'
import { UnavailableError } from '../../../src/engine/unavailable.ts'
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

describe.skipIf(why !== undefined)('a database that fails', () => {
  test('loses nothing and repeats nothing when it is restarted under load', async () => {
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

  test('discards what it refused, and takes the next change as soon as it can', async () => {
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

  test('is not available, and nothing worse, while it refuses even to be read', async () => {
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
