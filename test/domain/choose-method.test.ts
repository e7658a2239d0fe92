import { describe, expect, test } from 'vitest'
import type { ProviderRule } from '../../src/contract/control/rules.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import { AccountInHand } from '../support/domain/account-in-hand.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A payer who chooses a method, five minutes after the payment was created without one. */
function chosen(rules: readonly ProviderRule[], overrides: Record<string, string> = {}) {
  const account = new AccountInHand({ contract: resolveContract(overrides) })
  account.given({ type: 'ReplaceRules', rules })
  const createdAt = account.at
  const request = { amount: '5000', currency: 'THB', country: 'TH', customer: {} }
  const payment = account.given({ type: 'CreatePayment', request })
  account.advance(5 * MINUTE)
  account.given({ type: 'ChooseMethod', payment, method: 'transfer', options: {}, customer: { name: 'Ann' } })
  const now = () => {
    const record = account.world.payments.get(payment)
    if (!record) throw new Error('the payment is gone')
    return record
  }
  return { account, now, createdAt }
}

describe('the payer chooses a method on the hosted page', () => {
  test('and the page stays open as long as its intent', () => {
    const { account, now, createdAt } = chosen([{ expiry: '10h' }])
    expect(now().action?.expiresAt).toBe(createdAt + 10 * HOUR)
    account.advance(10 * HOUR - 5 * MINUTE - 1)
    expect(now().action).not.toBeNull()
  })

  test('and a page with its own time limit keeps it', () => {
    const { account, now, createdAt } = chosen([], { 'hosted.page': '30m' })
    expect(now().action?.expiresAt).toBe(createdAt + 30 * MINUTE)
    account.advance(25 * MINUTE - 1)
    expect(now().action).not.toBeNull()
    account.advance(1)
    expect(now().action).toBeNull()
  })

  test('and a rule gives the page another end', () => {
    const { account, now, createdAt } = chosen([{ action: { expires_after: '1h' } }])
    expect(now().action?.expiresAt).toBe(createdAt + HOUR + 5 * MINUTE)
    account.advance(HOUR - 1)
    expect(now().action).not.toBeNull()
    account.advance(1)
    expect(now().action).toBeNull()
  })

  test('and the outcome of a rule takes effect', () => {
    const { account, now } = chosen([{ outcome: { after: '10s', status: 'succeeded' } }])
    account.advance(10_000)
    expect(now().outcome).toBe('succeeded')
  })

  test('and a rule whose expiry has already passed ends the payment at once', () => {
    const { account, now } = chosen([{ expiry: '1m' }])
    account.advance(0)
    expect(now().outcome).toBe('expired')
  })

  const ann = { method: 'transfer', options: {}, customer: { name: 'Ann' } }
  test.each([
    ['again', ann, true],
    ['again without a name, which is there', { ...ann, customer: {} }, true],
    ['as somebody else', { ...ann, customer: { name: 'Bob' } }, false],
    ['with an account', { ...ann, options: { account_name: 'Ann' } }, false],
    ['another one', { ...ann, method: 'qr' }, false],
  ])('only once: %s', (_, choice, isSame) => {
    const { account, now } = chosen([])
    const { id } = now().sortKey
    const before = account.world.payments.get(id)
    const again = account.when({ type: 'ChooseMethod', payment: id, ...choice })
    expect(again).toMatchObject(isSame ? { events: [] } : { refused: { code: 'invalid_state' } })
    expect(account.world.payments.get(id)).toBe(before)
  })

  test('and a rule lets the page last as long as the intent', () => {
    const { account, now, createdAt } = chosen([{ action: { expires_after: '100h' } }])
    expect(now().action?.expiresAt).toBe(createdAt + 72 * HOUR)
    account.advance(HOUR)
    expect(now().action).not.toBeNull()
  })

  test('and a rule lets the intent outlive its page', () => {
    const { account, now } = chosen([{ expiry: '24h' }], {
      'payment.expiry': '20m',
      'hosted.page': '20m',
    })
    account.advance(HOUR)
    expect(now().outcome).toBeNull()
    expect(now().action).toBeNull()
  })

  test('and the page never claims to outlast the intent', () => {
    const { now } = chosen([{ expiry: '10m' }])
    expect(now().action?.expiresAt).toBeLessThanOrEqual(now().expiresAt)
  })
})
