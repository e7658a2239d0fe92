import { describe, expect, test } from 'vitest'
import { accountOf, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, recovered, restarted } from '../../support/gateway/shared-server.ts'
import {
  cancelPending,
  createPayment,
  createTransfer,
  readPayment,
  uploadReceipt,
} from '../../support/payments/payments.ts'
import { addPayout, readPayout } from '../../support/payments/payouts.ts'
import { putFaults } from '../../support/provider/faults.ts'
import { mark, putInFront, putRules, rulesOf } from '../../support/provider/rules.ts'
import { listen } from '../../support/webhooks/receiver.ts'

// A clean stop and a crash must not differ in what is there afterwards.
describe.each([
  ['a clean stop', restarted],
  ['a crash', recovered],
] as const)('after %s', (_, again) => {
  test('the rules in force and their counts are unchanged', async () => {
    const first = await ownServer()
    const account = await openAccount(first)
    await putRules(account, mark('twice', {}, { times: 2 }), mark('fourth', { nth: 4 }), mark('rest'))
    await createPayment(account)
    await putInFront(account, mark('never', { merchant_reference: 'never' }))
    const rules = await rulesOf(account)

    const same = accountOf(await again(first), account.keys)
    expect(await rulesOf(same)).toEqual(rules)
    const marks: string[] = []
    for (let made = 0; made < 5; made += 1) {
      const { id } = await createPayment(same)
      await same.pass('0s')
      marks.push((await readPayment(same, id)).failure_code)
    }
    expect(marks).toEqual(['twice', 'rest', 'rest', 'rest', 'fourth'])
  })

  test('pending provider steps happen on time, by the rule in force when they were set', async () => {
    const first = await ownServer()
    const account = await openAccount(first)
    await putRules(
      account,
      {
        match: { kind: 'payout' },
        approval: { after: '1h' },
        outcome: { after: '1h', status: 'failed', code: 'kept' },
      },
      {
        action: { expires_after: '40s' },
        receipt: [{ after: '20s', verdict: 'reject', message: 'kept' }],
        cancel: { after: '30s', outcome: 'succeeded' },
      },
    )
    const transfer = await createTransfer(account)
    await succeeded(uploadReceipt(account, transfer.id, 'key'))
    const cancelling = await createPayment(account)
    await succeeded(cancelPending(account, cancelling.id))
    const waiting = await createPayment(account)
    const payout = await addPayout(account)
    await account.pass('10s')
    await putRules(account)

    const same = accountOf(await again(first), account.keys)
    await same.pass('9999ms')
    expect((await readPayment(same, transfer.id)).receipt.status).toBe('processing')
    await same.pass('1ms')
    expect((await readPayment(same, transfer.id)).receipt).toMatchObject({
      status: 'rejected',
      failure_message: 'kept',
    })
    await same.pass('10s')
    expect((await readPayment(same, cancelling.id)).status).toBe('succeeded')
    expect((await readPayment(same, waiting.id)).status).toBe('pending')
    await same.pass('10s')
    expect((await readPayment(same, waiting.id)).status).toBe('processing')
    await same.pass('2h')
    expect(await readPayout(same, payout.id)).toMatchObject({ status: 'failed', failure_code: 'kept' })
  })

  test('the faults are still in force, and a held-back webhook still arrives', async () => {
    const first = await ownServer()
    const account = await openAccount(first)
    const receiver = await listen(account)
    await putFaults(
      account,
      { on: 'webhook', type: 'delay', delay: '1h', times: 1 },
      { on: 'GET /payout_intents', type: 'status', status: 418 },
    )
    const { id } = await createPayment(account)
    await succeeded(account.control('POST', `/payments/${id}/succeed`, { body: {} }))
    await account.pass('10m')

    const second = await again(first)
    const same = accountOf(second, account.keys)
    expect((await second.as(account.keys)('GET', '/payout_intents')).status).toBe(418)
    await same.pass('49m')
    expect(receiver.deliveries).toHaveLength(0)
    await same.pass('1m')
    expect(receiver.deliveries.map(({ event }) => event.data.id)).toEqual([id])
  })
})
