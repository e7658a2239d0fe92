import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { choosing } from '../../support/payments/checkout-page.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { receiptOf, upload } from '../../support/payments/receipts.ts'
import {
  addPayout,
  backToDefault,
  decides,
  mark,
  markOn,
  payoutOf,
  putInFront,
  putRules,
} from '../../support/provider/rules.ts'

const server = sharedServer()

const changes: [string, (account: Account) => Promise<void>][] = [
  ['replaced', account => putRules(account, mark('other'))],
  ['removed', account => putRules(account)],
  ['put behind others', account => putInFront(account, mark('other'))],
  ['taken back to the default ones', account => backToDefault(account)],
]

describe.each(changes)('once the rules are %s, an intent still follows its own copy', (_, change) => {
  test('for its receipts and its outcome', async () => {
    const account = await openAccount(server())
    await putRules(account, {
      receipt: [
        { after: '2s', verdict: 'reject', message: 'as scripted' },
        { after: '3s', verdict: 'accept' },
      ],
      outcome: { after: '7s', status: 'failed', code: 'as_scripted' },
    })
    const { id } = await account.pay('probe_receipt')
    await change(account)
    await upload(account, id, png(1))
    await account.advance('2s')
    expect(await receiptOf(account, id)).toMatchObject({ status: 'rejected', failure_message: 'as scripted' })
    await upload(account, id, png(2))
    await account.advance('3s')
    expect(await receiptOf(account, id)).toMatchObject({ status: 'submitted' })
    await account.advance('7s')
    expect(await account.read(id)).toMatchObject({ status: 'failed', failure_code: 'as_scripted' })
  })

  test('for its action and its cancellation', async () => {
    const account = await openAccount(server())
    await putRules(account, { action: { after: '10s' }, cancel: { after: '1s', outcome: 'expired' } })
    const { id } = await account.pay('probe_transfer')
    await change(account)
    await account.advance('10s')
    expect((await account.read(id)).status).toBe('pending')
    await account.cancel(id)
    await account.advance('1s')
    expect((await account.read(id)).status).toBe('expired')
  })

  test('and so does a payout', async () => {
    const account = await openAccount(server())
    await putRules(account, { approval: { after: '1h' }, outcome: { after: '1h', status: 'succeeded' } })
    const { id } = await addPayout(account)
    await change(account)
    await account.advance('2h')
    expect((await payoutOf(account, id)).status).toBe('succeeded')
  })
})

test('an intent that no rule matched is not affected by a later rule', async () => {
  const account = await openAccount(server())
  await putRules(account)
  const made = await account.pay('probe_receipt')
  await putRules(account, mark('late', {}, { receipt: [{ after: '1h', verdict: 'reject' }] }))
  await upload(account, made.id, png())
  await account.advance('5s')
  expect((await receiptOf(account, made.id)).status).toBe('submitted')
})

describe('a hosted intent without a method', () => {
  const choose = (made: Json) => choosing(made.next_action.url, 'probe_transfer')

  test('is matched with a rule when the payer chooses, not before', async () => {
    const account = await openAccount(server())
    await putRules(account, mark('at creation', {}, { times: 1 }))
    const made = await account.payHosted()
    expect(await markOn(account, made)).toBeNull()
    await putRules(account, mark('when chosen', {}, { times: 1 }))
    await choose(made)
    expect(await markOn(account, made)).toBe('when chosen')
    expect(await decides(account), 'the rule was used up by the choice').toBeNull()
  })

  test('is matched by the chosen method', async () => {
    const account = await openAccount(server())
    await putRules(
      account,
      mark('qr', { method: 'probe_qr' }),
      mark('transfer', { method: 'probe_transfer', checkout_mode: 'hosted' }),
    )
    const made = await account.payHosted()
    await choose(made)
    expect(await markOn(account, made)).toBe('transfer')
  })

  test('counts its outcome from the choice', async () => {
    const account = await openAccount(server())
    await putRules(account, { outcome: { after: '30s', status: 'succeeded' } })
    const made = await account.payHosted()
    await account.advance('10m')
    await choose(made)
    await account.advance('29999ms')
    expect((await account.read(made.id)).status).toBe('pending')
    await account.advance('1ms')
    expect((await account.read(made.id)).status).toBe('succeeded')
  })

  test('expires after the time in its rule, counted from its creation', async () => {
    const account = await openAccount(server())
    await putRules(account, { expiry: '20m' })
    const made = await account.payHosted()
    await account.advance('10m')
    await choose(made)
    await account.advance('599999ms')
    expect((await account.read(made.id)).status).not.toBe('expired')
    await account.advance('1ms')
    expect((await account.read(made.id)).status).toBe('expired')
  })
})
