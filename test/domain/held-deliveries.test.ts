import { describe, expect, test } from 'vitest'
import { AccountInHand } from '../support/domain/account-in-hand.ts'

const HOUR = 3_600_000

/** An endpoint whose first event is held until another overtakes it. */
function accountThatReorders() {
  const account = new AccountInHand()
  account.given({ type: 'AddEndpoint', url: 'http://localhost/', events: null })
  account.given({ type: 'ReplaceFaults', faults: [{ on: 'webhook', type: 'reorder', times: 1 }] })
  const end = () => {
    const request = {
      amount: '5000',
      currency: 'THB',
      country: 'TH',
      customer: {},
      payment_method: 'transfer',
    }
    const payment = account.given({ type: 'CreatePayment', request })
    account.given({ type: 'MovePayment', payment, trigger: 'succeed' })
    return [...account.world.deliveries.values()].at(-1)?.id ?? ''
  }
  const dueAt = (delivery: string) => account.world.timers.get(`${delivery}:attempt`)?.dueAt
  return { account, world: account.world, end, dueAt }
}

const result = { status: 200, error: null, retryAfterMs: null, body: '', timestamp: 0, signature: '' }

describe('a webhook that is held to be overtaken', () => {
  test('is sent after the one that overtakes it', () => {
    const { end, dueAt } = accountThatReorders()
    const held = end()
    const other = end()
    expect(dueAt(held)).toBeGreaterThan(dueAt(other) ?? Number.NaN)
  })

  test('is sent after an hour if none overtakes it', () => {
    const { account, end, world } = accountThatReorders()
    const held = end()
    account.advance(HOUR - 1)
    expect(world.deliveries.get(held)?.status).toBe('pending')
    account.advance(1)
    expect(world.deliveries.get(held)?.status).toBe('attempting')
  })

  test('shows when it will be attempted after it is released', () => {
    const { end, dueAt, world } = accountThatReorders()
    const held = end()
    end()
    expect(world.deliveries.get(held)?.nextAttemptAt).toBe(dueAt(held))
  })

  test('is no longer held after it was sent', () => {
    const { account, end, dueAt } = accountThatReorders()
    const held = end()
    account.advance(HOUR)
    account.given({ type: 'RecordAttempt', delivery: held, attempt: 1, result })
    end()
    expect(dueAt(held)).toBeUndefined()
  })

  test('keeps its retry after it was sent', () => {
    const { account, end, dueAt } = accountThatReorders()
    const held = end()
    account.advance(HOUR)
    account.given({ type: 'RecordAttempt', delivery: held, attempt: 1, result: { ...result, status: 500 } })
    const retryAt = dueAt(held)
    end()
    expect(dueAt(held)).toBe(retryAt)
  })
})
