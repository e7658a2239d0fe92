import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RealTime } from '../../src/engine/time/real-time.ts'
import { anAccount, createPayment } from '../support/engine/accounts.ts'

const HOUR = 3_600_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const outcomeOf = (account: ReturnType<typeof anAccount>, id: string) =>
  account.world.payments.get(id)?.outcome

describe('an account with a running clock', () => {
  test('executes what is due at its time', async () => {
    const account = anAccount()
    const id = createPayment(account)
    await vi.advanceTimersByTimeAsync(72 * HOUR - 1)
    expect(outcomeOf(account, id)).toBeNull()
    await vi.advanceTimersByTimeAsync(1)
    expect(outcomeOf(account, id)).toBe('expired')
    await account.close()
  })

  test('does nothing more after it is closed', async () => {
    const account = anAccount()
    const id = createPayment(account)
    await account.close()
    await vi.advanceTimersByTimeAsync(100 * HOUR)
    expect([outcomeOf(account, id), vi.getTimerCount()]).toEqual([null, 0])
  })

  test('never goes back in time, even if the wall clock does', () => {
    const wall = { at: 1_000_000 }
    const account = anAccount({ time: new RealTime({ wall: () => wall.at, monotonic: () => 0 }) })
    createPayment(account)
    wall.at -= HOUR
    expect(account.now).toBe(1_000_000)
    createPayment(account)
    expect(account.world.at).toBe(1_000_000)
    void account.close()
  })

  test('is on time after its clock was set to run faster', async () => {
    const account = anAccount()
    const id = createPayment(account)
    account.setClock(account.clock.change({ mode: 'real', rate: 3600 }))
    await vi.advanceTimersByTimeAsync(73_000)
    try {
      expect(outcomeOf(account, id)).toBe('expired')
    } finally {
      await account.close()
    }
  })
})

test('an account with a virtual clock does nothing by itself', async () => {
  const account = anAccount()
  account.setClock(account.clock.change({ mode: 'virtual' }))
  const id = createPayment(account)
  await vi.advanceTimersByTimeAsync(100 * HOUR)
  expect(outcomeOf(account, id)).toBeNull()
  await account.close()
})

test('an immediate timer fires after the caller has its result', async () => {
  const account = anAccount()
  account.execute(
    { type: 'ReplaceRules', rules: [{ outcome: { after: '0s', status: 'succeeded' } }] },
    'operator',
  )
  const id = createPayment(account)
  expect(outcomeOf(account, id)).toBeNull()
  await Promise.resolve()
  expect(outcomeOf(account, id)).toBe('succeeded')
  await account.close()
})

test('an account refuses commands while its disk fails', async () => {
  const account = anAccount()
  const id = createPayment(account)
  const { seq } = account.world
  account.stall()
  const refused = account.execute({ type: 'MovePayment', payment: id, trigger: 'succeed' }, 'operator')
  expect(refused).toMatchObject({ refused: { code: 'service_unavailable' } })
  expect(account.world.seq).toBeLessThanOrEqual(seq)
  await account.close()
})
