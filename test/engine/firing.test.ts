import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/domain/events.ts'
import { MemoryJournal } from '../../src/engine/journal/journal.ts'
import { TimeTravel } from '../../src/engine/time/time-travel.ts'
import type { Courier } from '../../src/engine/webhooks/courier.ts'
import { anAccount, createPayment } from '../support/engine/accounts.ts'

const HOUR = 3_600_000
const MANY = 500

/** A journal that is safe one turn of the event loop later, as one on disk is at best. */
class SlowJournal extends MemoryJournal {
  waits = 0

  override durable(): undefined {
    this.waits++
    return new Promise(setImmediate) as unknown as undefined
  }
}

/** An account with many payments, whose pages end at one time, or each at its own. */
function withManyTimers({ apart = 0 } = {}) {
  const journal = new SlowJournal()
  const account = anAccount({ journal })
  account.setClock(account.clock.change({ mode: 'virtual', at: account.now }))
  const start = account.now
  for (let nth = 0; nth < MANY; nth++) {
    createPayment(account)
    if (apart > 0) account.setClock(account.clock.change({ mode: 'virtual', at: account.now + apart }))
  }
  const courier = { busy: false, limitReceivers: () => {} } as unknown as Courier
  const time = new TimeTravel(account, courier, { receiversMs: 15_000, monotonic: () => 0 })
  const toTheEnd = () => ({ until: start + HOUR, limit: start + HOUR })
  return { account, journal, time, start, toTheEnd }
}

/** Counts the turns of the event loop until it resolves: so often others are served meanwhile. */
async function turnsUntil<T>(work: Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const result = await work.finally(() => {
    isDone = true
  })
  return { turns, result }
}

describe('many timers', () => {
  test.each([
    ['at one time', 0],
    ['each at its own', 1],
  ])('%s let other work continue meanwhile', async (_, apart) => {
    const { time, toTheEnd } = withManyTimers({ apart })
    const { turns, result } = await turnsUntil(time.advance(toTheEnd))
    expect(result).toMatchObject({ fired: MANY })
    expect(turns).toBeGreaterThan(MANY / 200)
  })

  test('fire in the order of their times, each at its own time', async () => {
    const { account, time, start, toTheEnd } = withManyTimers({ apart: 1 })
    const fired: Entry[] = []
    account.onEntry(entry => entry.by === 'timer' && fired.push(entry))
    await time.advance(toTheEnd)
    expect(fired.map(({ at }) => at - start)).toEqual(
      Array.from({ length: MANY }, (_, nth) => HOUR / 2 + nth),
    )
  })

  test('wait for the disk only once, even if they fire at many times', async () => {
    const { journal, time, toTheEnd } = withManyTimers({ apart: 1 })
    journal.waits = 0
    await time.advance(toTheEnd)
    expect(journal.waits).toBe(1)
  })

  test('of a running clock have all fired when the account has caught up', async () => {
    const { account, start } = withManyTimers()
    account.setClock({ mode: 'virtual', rate: 1, accountAt: start + HOUR, wallAt: start + HOUR })
    const by: string[] = []
    account.onEntry(entry => by.push(entry.by))
    await account.catchUp()
    expect(by).toEqual(Array.from({ length: MANY }, () => 'timer'))
    expect(account.catchUp()).toBeUndefined()
  })

  test('have all fired before a command that arrives meanwhile', async () => {
    const { account, time, toTheEnd } = withManyTimers()
    const by: string[] = []
    account.onEntry(entry => by.push(entry.by))
    const arrival = time.advance(toTheEnd)
    await new Promise(setImmediate)
    const firedSoFar = by.length
    createPayment(account)
    expect(firedSoFar).toBeGreaterThan(0)
    expect(firedSoFar).toBeLessThan(MANY)
    expect(by.slice(0, -1)).toEqual(Array.from({ length: MANY }, () => 'timer'))
    expect(by.at(-1)).toBe('merchant')
    // With the page of the new payment.
    expect(await arrival).toMatchObject({ fired: MANY + 1 })
  })
})
