import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EARLIEST, formatTimestamp, LATEST } from '../../src/contract/timestamps.ts'
import { EntryChecker } from '../../src/domain/check-entries.ts'
import type { ClockSetting } from '../../src/domain/commands.ts'
import type { Entry } from '../../src/domain/events.ts'
import { MemoryJournal } from '../../src/engine/journal/journal.ts'
import { RealTime } from '../../src/engine/time/real-time.ts'
import { anAccountWithoutJournal, createPayment } from '../support/engine/accounts.ts'

const TEN_YEARS = 10 * 366 * 86_400_000
const instant = fc.oneof(
  fc.constantFrom(EARLIEST, EARLIEST + 1, 0, Date.UTC(2026, 0), LATEST - 1000, LATEST - 1, LATEST),
  fc.integer({ min: EARLIEST, max: LATEST }),
)
const rate = fc.oneof(
  fc.constantFrom(5e-324, 0.001, 1, 60, 1_000_000),
  fc.double({ min: 5e-324, max: 1_000_000, noNaN: true }),
)
const imported: fc.Arbitrary<ClockSetting> = fc
  .record({
    mode: fc.constantFrom('real' as const, 'virtual' as const),
    rate,
    accountAt: instant,
    wallAt: instant,
  })
  .map(clock => (clock.mode === 'virtual' ? { ...clock, rate: 1 } : clock))
const step = fc.oneof(
  fc.record({ pass: fc.integer({ min: 0, max: TEN_YEARS / 5 }) }),
  fc.record({ setBack: fc.integer({ min: 0, max: TEN_YEARS }) }),
  fc.record({
    set: fc.record({ mode: fc.constantFrom('real' as const, 'virtual' as const), rate, at: instant }),
  }),
  fc.record({ pay: fc.constant(true) }),
)

/** An account whose wall clock is told its time. */
function onAWall(at = Date.UTC(2026, 0)) {
  const wall = { at, elapsed: 0 }
  const account = anAccountWithoutJournal(
    new RealTime({ wall: () => wall.at, monotonic: () => wall.elapsed }),
  )
  const entries: Entry[] = []
  account.onEntry(entry => entries.push(entry))
  return { wall, account, entries }
}

function problemsOf(entries: readonly Entry[]) {
  const checker = new EntryChecker()
  return entries.flatMap(entry => checker.check(JSON.parse(JSON.stringify(entry))))
}

test('no setting of the clock leads out of the time that can be shown, and what happens then can be imported', async () => {
  await fc.assert(
    fc.asyncProperty(imported, fc.array(step, { maxLength: 5 }), async (clock, steps) => {
      const { wall, account, entries } = onAWall()
      const first: Entry = {
        v: 1,
        seq: 1,
        at: EARLIEST,
        by: 'operator',
        events: [{ type: 'ClockSet', clock }],
      }
      account.applyEntry(first)
      account.start(new MemoryJournal())
      let last = account.now
      for (const step of steps) {
        if ('pass' in step) {
          wall.at += step.pass
          wall.elapsed += step.pass
        }
        if ('setBack' in step) wall.at -= step.setBack
        if ('set' in step) {
          const { mode, at, rate } = step.set
          account.setClock(
            account.clock.change({ mode, at: Math.max(at, account.now), rate: mode === 'real' ? rate : 1 }),
          )
        }
        if ('pay' in step) createPayment(account)
        await account.catchUp()
        expect(account.now).toBeGreaterThanOrEqual(last)
        expect(formatTimestamp(account.now)).toMatch(/^\d{4}-/)
        expect(account.clock.waitFor(LATEST) ?? 0).toBeLessThan(Number.POSITIVE_INFINITY)
        last = account.now
      }
      await account.close()
      expect(problemsOf([first, ...entries])).toEqual([])
    }),
  )
})

test('at the end of time a running clock stands still, and everything that is due has happened', async () => {
  const { wall, account, entries } = onAWall()
  account.start(new MemoryJournal())
  account.setClock(account.clock.change({ mode: 'real', at: LATEST - 1000, rate: 1_000_000 }))
  const id = createPayment(account)
  wall.at += TEN_YEARS
  await account.catchUp()
  expect(account.now).toBe(LATEST)
  createPayment(account)
  await account.catchUp()
  expect(account.world.payments.get(id)).toMatchObject({ outcome: 'expired', expiresAt: LATEST })
  expect(account.world.timers.next).toBeUndefined()
  expect(problemsOf(entries)).toEqual([])
  await account.close()
})
