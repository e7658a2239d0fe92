import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/domain/events.ts'
import { MemoryJournal } from '../../src/engine/journal/journal.ts'
import { TimeTravel } from '../../src/engine/time/time-travel.ts'
import type { Courier } from '../../src/engine/webhooks/courier.ts'
import { anAccount, createPayment } from '../support/engine/accounts.ts'

const HOUR = 3_600_000

/** A courier without a wire; one that is asked for ever is stuck in a loop. */
function idleCourier(patience = 10_000): Courier {
  let asked = 0
  const idle = async () => {
    if (++asked > patience) throw new Error('it spins')
  }
  return courierThat(idle)
}

const courierThat = (idle: () => Promise<void>) =>
  ({ busy: false, idle, limitReceivers: () => {} }) as unknown as Courier

const TERMS = { receiversMs: 15_000, monotonic: () => 0 }

function standing() {
  const account = anAccount()
  account.setClock(account.clock.change({ mode: 'virtual', at: account.now }))
  return { account, time: new TimeTravel(account, idleCourier(), TERMS), start: account.now }
}
const to = (until: number) => () => ({ until, limit: until })
const untilIdle =
  (limit = Number.POSITIVE_INFINITY) =>
  () => ({ until: 'idle' as const, limit })

describe('an advance of the clock', () => {
  test('stops at each timer on its way, and arrives at its target', async () => {
    const { account, time, start } = standing()
    const id = createPayment(account)
    const seen: number[] = []
    account.onEntry(({ at, by }) => by === 'timer' && seen.push(at - start))
    // The page of a hosted payment ends after half an hour, the payment after three days.
    expect(await time.advance(to(start + 100 * HOUR))).toEqual({
      now: start + 100 * HOUR,
      fired: 2,
      idle: true,
      timedOut: [],
    })
    expect(seen).toEqual([HOUR / 2, 72 * HOUR])
    expect(account.world.payments.get(id)?.outcome).toBe('expired')
  })

  test.each([
    [-1, 0, 'is not there yet a millisecond before'],
    [0, 1, 'has fired what is due then'],
  ])('%i ms off a timer: %i fired', async (off, fired) => {
    const { account, time, start } = standing()
    createPayment(account)
    expect(await time.advance(to(start + HOUR / 2 + off))).toMatchObject({
      fired,
      now: start + HOUR / 2 + off,
    })
  })

  test('until idle goes to the last timer and no further', async () => {
    const { account, time, start } = standing()
    createPayment(account)
    expect(await time.advance(untilIdle())).toEqual({
      now: start + 72 * HOUR,
      fired: 2,
      idle: true,
      timedOut: [],
    })
    expect(await time.advance(untilIdle())).toEqual({
      now: start + 72 * HOUR,
      fired: 0,
      idle: true,
      timedOut: [],
    })
  })

  test('until idle with a limit stays within it', async () => {
    const { account, time, start } = standing()
    createPayment(account)
    expect(await time.advance(untilIdle(start + HOUR))).toEqual({
      now: start + HOUR / 2,
      fired: 1,
      idle: false,
      timedOut: [],
    })
  })

  test('to the past does nothing', async () => {
    const { time, start } = standing()
    expect(await time.advance(to(start - HOUR))).toMatchObject({ now: start })
  })

  test('waits for the one before', async () => {
    const { account, time, start } = standing()
    createPayment(account)
    const both = await Promise.all([time.advance(to(start + HOUR)), time.advance(to(start + 80 * HOUR))])
    expect(both).toMatchObject([{ fired: 1 }, { fired: 1 }])
  })

  test('is refused on a running clock', async () => {
    const account = anAccount()
    const time = new TimeTravel(account, idleCourier(), TERMS)
    expect(await time.advance(to(account.now))).toMatchObject({ refused: { code: 'invalid_state' } })
    await account.close()
  })

  test('whose plan throws does not affect a later one', async () => {
    const { time, start } = standing()
    const broken = time.advance(() => {
      throw new Error('no plan')
    })
    await expect(broken).rejects.toThrow('no plan')
    expect(await time.advance(to(start + 1))).toMatchObject({ now: start + 1 })
  })

  test('ends when the disk fails while a receiver is slow', async () => {
    const journal = new FullDisk()
    const account = anAccount({ journal })
    account.setClock(account.clock.change({ mode: 'virtual', at: account.now }))
    createPayment(account)
    journal.safeSeq = account.world.seq
    account.onEntry(({ by }) => by === 'timer' && account.stall())
    const courier = idleCourier()
    const idle = onceSlow(() => courier.idle())
    const time = new TimeTravel(account, courierThat(idle), TERMS)
    const [end] = await Promise.allSettled([time.advance(to(account.now + 100 * HOUR))])
    await account.close()
    expect(end?.status === 'rejected' ? String(end.reason) : 'it arrived').not.toContain('it spins')
  })

  test('counts a timer once when it fires again after the disk failed', async () => {
    const journal = new FailingOnce()
    const account = anAccount({ journal })
    account.setClock(account.clock.change({ mode: 'virtual', at: account.now }))
    createPayment(account)
    journal.safeSeq = account.world.seq
    const byTimer: number[] = []
    account.onEntry(({ by, seq }) => by === 'timer' && byTimer.push(seq))
    let hasFailed = false
    const courier = {
      get busy() {
        return byTimer.length === 1 && !hasFailed
      },
      idle: async () => {
        hasFailed = true
        account.stall()
        await account.available()
      },
      limitReceivers: () => {},
    } as unknown as Courier
    const time = new TimeTravel(account, courier, TERMS)
    expect(await time.advance(to(account.now + 100 * HOUR))).toMatchObject({ fired: 2 })
    expect(byTimer).toHaveLength(3)
    await account.close()
  })
})

/** A disk that was full after some entry, and still is. */
class FullDisk extends MemoryJournal {
  safeSeq = 0
  readonly #entries: Entry[] = []

  override append(entry: Entry): number {
    this.#entries.push(entry)
    return 0
  }

  override async rollBack(onEntry?: (entry: Entry) => void): Promise<void> {
    for (const entry of this.#entries) if (entry.seq <= this.safeSeq) onEntry?.(entry)
  }

  override tryAgain(): Promise<void> {
    return Promise.reject(new Error('ENOSPC'))
  }
}

/** A disk that works again as soon as it is tried again. */
class FailingOnce extends FullDisk {
  override tryAgain(): Promise<void> {
    return Promise.resolve()
  }
}

/** The second time takes a while: the first is before anything was sent. */
function onceSlow(idle: () => Promise<void>): () => Promise<void> {
  let asked = 0
  return () => (++asked === 2 ? new Promise(setImmediate).then(idle) : idle())
}
