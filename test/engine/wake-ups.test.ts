import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Environment } from '../../src/contract/statuses.ts'
import type { AccountRuntime } from '../../src/engine/account/open-runtime.ts'
import { ServedAccounts } from '../../src/engine/account/served-accounts.ts'
import type { MerchantRecord } from '../../src/engine/store/merchant-record.ts'
import { drawMerchant } from '../../src/engine/store/new-merchant.ts'
import { UnavailableError } from '../../src/engine/store/store-errors.ts'
import { WakeUps } from '../../src/engine/time/wake-ups.ts'
import { SteadyTime } from '../support/engine/steady-time.ts'

beforeEach(() => void vi.useFakeTimers())

/** The accounts of some merchants, and which of them were opened, in order. */
function unopened(merchants: number, load: (account: string) => Promise<unknown> = async () => ({})) {
  const opened: string[] = []
  const warnings: unknown[] = []
  const open = async ({ id }: MerchantRecord, environment: Environment) => {
    const account = `${id}.${environment}`
    opened.push(account)
    return (await load(account)) as AccountRuntime
  }
  const accounts = new ServedAccounts(open, problem => warnings.push(problem.message))
  for (let nth = 1; nth <= merchants; nth++) accounts.serve(drawMerchant(`m${nth}`, {}, '1'))
  const time = new SteadyTime()
  const wakeUps = new WakeUps(time, accounts, cause => warnings.push(String(cause)))
  onTestFinished(() => {
    wakeUps.stop()
    vi.useRealTimers()
  })
  /** Nothing of an account that is left out is known. */
  const known = (wakeMs: Readonly<Record<string, number | null>>) => ({
    sealedMs: time.wall(),
    wakeMs: new Map(Object.entries(wakeMs)),
  })
  return { accounts, opened, warnings, wakeUps, known, now: time.wall() }
}

test('nothing is opened for accounts that are as they were left, until a timer of theirs is due', async () => {
  const { wakeUps, opened, known, now } = unopened(2)
  const later = { 'm1.test': null, 'm1.live': now + 5000, 'm2.test': now + 3000, 'm2.live': null }
  await wakeUps.begin(known(later))
  expect(opened).toEqual([])
  await vi.advanceTimersByTimeAsync(2999)
  expect(opened).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(opened).toEqual(['m2.test'])
  await vi.advanceTimersByTimeAsync(2000)
  expect(opened).toEqual(['m2.test', 'm1.live'])
})

test('what became due while nothing ran is opened at once', async () => {
  const { wakeUps, opened, known, now } = unopened(1)
  await wakeUps.begin(known({ 'm1.test': now - 1, 'm1.live': null }))
  await vi.advanceTimersByTimeAsync(0)
  expect(opened).toEqual(['m1.test'])
})

test('a wall clock that was set back since the stop makes no timer late', async () => {
  const { wakeUps, opened, known, now } = unopened(1)
  const sealed = { ...known({ 'm1.test': now + 3_600_000, 'm1.live': null }), sealedMs: now + 3_599_000 }
  await wakeUps.begin(sealed)
  await vi.advanceTimersByTimeAsync(1000)
  expect(opened).toEqual(['m1.test'])
})

test('of what is unknown, a hundred accounts are opened before the start is over, and all soon after', async () => {
  let held: () => void = () => {}
  const gate = new Promise<void>(resolve => {
    held = resolve
  })
  let last = false
  const { wakeUps, opened, accounts } = unopened(200, async () => {
    if (opened.length > 100) {
      last = true
      await gate
    }
    return {}
  })
  await wakeUps.begin()
  expect(opened.slice(0, 100)).toEqual(accounts.all.slice(0, 100).map(({ id }) => id))
  await vi.waitFor(() => expect(last).toBe(true))
  expect(opened.length).toBeLessThan(400)
  held()
  await vi.waitFor(() => expect(opened).toEqual(accounts.all.map(({ id }) => id)))
})

test('an account that cannot be opened now is tried again, and one that is damaged is reported once', async () => {
  let files = 0
  const { wakeUps, opened, warnings, known } = unopened(2, async account => {
    if (account === 'm1.live') throw new Error('the journal is damaged')
    if (account.startsWith('m2') && files++ < 4)
      throw new UnavailableError('The account', new Error('EMFILE'))
    return {}
  })
  await wakeUps.begin(known({ 'm1.test': null }))
  expect(opened).toEqual(['m1.live', 'm2.test', 'm2.live'])
  await vi.advanceTimersByTimeAsync(10_000)
  const tries = (account: string) => opened.filter(id => id === account).length
  expect(['m1.live', 'm2.test', 'm2.live'].map(tries)).toEqual([1, 3, 3])
  expect(warnings).toEqual([
    'account m1.live is stopped: the journal is damaged',
    expect.stringContaining('The account cannot be written now'),
  ])
})

test('a server that stops opens nothing more', async () => {
  const { wakeUps, opened, known, now } = unopened(200)
  await wakeUps.begin(known({ 'm1.test': now + 1000 }))
  wakeUps.stop()
  const before = opened.length
  await vi.advanceTimersByTimeAsync(5000)
  // What was being opened is finished.
  expect(opened.length - before).toBeLessThanOrEqual(8)
  expect(opened).not.toContain('m1.test')
})
