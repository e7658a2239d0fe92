import { describe, expect, test } from 'vitest'
import { type Account, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, idOfNothing, invalid, invalidState, notFound } from '../../support/http/refusals.ts'
import {
  addPayout,
  cancelPayout,
  listPayouts,
  movePayout,
  payoutBody,
  readPayout,
} from '../../support/payments/payouts.ts'

const server = sharedServer()

const MOVES_TO: Record<string, string[]> = {
  requires_approval: [],
  processing: ['approve'],
  succeeded: ['approve', 'succeed'],
  failed: ['approve', 'fail'],
  cancelled: ['cancel'],
}

async function payoutIn(account: Account, status: string) {
  const { id } = await addPayout(account)
  for (const move of MOVES_TO[status] ?? []) {
    await succeeded(move === 'cancel' ? cancelPayout(account, id) : movePayout(account, id, move))
  }
  return readPayout(account, id)
}

describe('the moves of a payout', () => {
  const moves: [from: string, move: string, to: string][] = [
    ['requires_approval', 'approve', 'processing'],
    ['processing', 'succeed', 'succeeded'],
    ['processing', 'fail', 'failed'],
  ]
  const allowed = new Set(moves.map(([from, move]) => `${from} ${move}`))
  const refused = Object.keys(MOVES_TO)
    .flatMap(from => ['approve', 'succeed', 'fail'].map((move): [string, string] => [from, move]))
    .filter(pair => !allowed.has(pair.join(' ')))

  test.each(moves)('%s: %s leads to %s', async (from, move, to) => {
    const account = await openAccount(server())
    const payout = await payoutIn(account, from)
    await account.advance('1h')
    const answer = await succeeded(movePayout(account, payout.id, move))
    expect(answer).toMatchObject({ id: payout.id, status: to })
    const after = await readPayout(account, payout.id)
    expect(after).toMatchObject({
      status: to,
      created_at: payout.created_at,
      updated_at: await account.now(),
    })
  })

  test.each(refused)('%s: %s is refused', async (from, move) => {
    const account = await openAccount(server())
    const payout = await payoutIn(account, from)
    await account.advance('1h')
    expectRefusal(await movePayout(account, payout.id, move), invalidState)
    expect(await readPayout(account, payout.id)).toEqual(payout)
  })

  test('a payout waits for approval without a time limit', async () => {
    const account = await openAccount(server())
    const payout = await payoutIn(account, 'requires_approval')
    await account.advance('365d')
    expect(await readPayout(account, payout.id)).toEqual(payout)
  })
})

describe('a failure', () => {
  test('carries the code and message it was given', async () => {
    const account = await openAccount(server())
    const { id } = await payoutIn(account, 'processing')
    const failure = { failure_code: 'account_closed', failure_message: 'The account is closed' }
    await succeeded(movePayout(account, id, 'fail', failure))
    expect(await readPayout(account, id)).toMatchObject({ status: 'failed', ...failure })
  })

  test('has a default code when none was given', async () => {
    const account = await openAccount(server())
    const { failure_code } = await payoutIn(account, 'failed')
    expect(failure_code).toMatch(/^[a-z_]+$/)
  })
})

describe('creation by the control surface', () => {
  test.each(['requires_approval', 'processing', 'succeeded', 'failed', 'cancelled'])(
    'may start in the state %s',
    async status => {
      const account = await openAccount(server())
      const { id } = await addPayout(account, { status })
      expect(await readPayout(account, id)).toMatchObject({ status })
    },
  )

  test.each<[string, Record<string, unknown>]>([
    ['amount', { amount: '0' }],
    ['amount', { amount: '-5' }],
    ['amount', { amount: '1.50' }],
    ['amount', { amount: 100 }],
    ['amount', { amount: undefined }],
    ['currency', { currency: 'thb' }],
    ['currency', { currency: 'TH' }],
    ['country', { country: 'THA' }],
    ['merchant_reference', { merchant_reference: '' }],
    ['merchant_reference', { merchant_reference: 'r'.repeat(257) }],
    ['status', { status: 'paid' }],
    ['created_at', { created_at: '2026-02-30T00:00:00Z' }],
    ['recipient', { recipient: 'bbl' }],
    ['recipient', { recipient: undefined }],
  ])('refuses a bad %s: %o', async (field, changes) => {
    const account = await openAccount(server())
    expectRefusal(await account.control('POST', '/payouts', { body: payoutBody(changes) }), invalid(field))
    expect((await succeeded(listPayouts(account))).data).toEqual([])
  })

  test('lists several problems of one body', async () => {
    const account = await openAccount(server())
    const body = payoutBody({ amount: 'x', country: 'x', currency: 'x' })
    const answer = await account.control('POST', '/payouts', { body })
    for (const field of ['amount', 'country', 'currency']) expectRefusal(answer, invalid(field))
  })

  test.each(['approve', 'succeed', 'fail'])('%s of an unknown payout is 404', async move => {
    const account = await openAccount(server())
    expectRefusal(await movePayout(account, idOfNothing('po'), move), notFound)
  })
})
