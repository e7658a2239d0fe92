import { describe, expect, test } from 'vitest'
import { type Account, openAccount, rows } from '../../support/gateway/merchant.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectFresh } from '../../support/http/answers.ts'
import { callOnWire, createOnWire } from '../../support/http/wire.ts'
import { imageForm } from '../../support/payments/images.ts'
import { createPayment, createTransfer, paymentBody, postPayment } from '../../support/payments/payments.ts'
import { addPayout, cancelPayout, readPayout } from '../../support/payments/payouts.ts'
import { type Fault, putFaults } from '../../support/provider/faults.ts'

const server = sharedServer()

const LOST: [string, Fault][] = [
  ['reset', { type: 'reset' }],
  ['empty', { type: 'empty' }],
  ['truncated', { type: 'truncate' }],
  ['garbled', { type: 'garbage' }],
  ['a 503', { type: 'status', status: 503 }],
]

async function accountLosing(on: string, fault: Fault): Promise<Account> {
  const account = await openAccount(server())
  await putFaults(account, { on, when: 'after_commit', times: 1, ...fault })
  return account
}

const payments = (account: Account) => rows(account.control('GET', '/payments'))

async function providerCalls(account: Account, call: string) {
  const all = await rows(account.control('GET', '/provider-calls'))
  return all.filter(entry => entry.call === call).length
}

const isReplay = (answer: Answer) => answer.headers.get('idempotent-replayed')

describe.each(LOST)('an answer lost after the work was done: %s', (_, fault) => {
  test('a create sent again with its key is replayed, and there is one payment', async () => {
    const account = await accountLosing('POST /payment_intents', fault)
    const lost = await createOnWire(server(), account, 'order-1')
    expect(lost.body?.object, 'nothing that can be used came back').not.toBe('payment_intent')
    const [made] = await payments(account)
    const again = await postPayment(account, paymentBody(), { 'idempotency-key': 'order-1' })
    expect({ status: again.status, id: again.body.id, replay: isReplay(again) }).toEqual({
      status: 201,
      id: made.id,
      replay: 'true',
    })
    expect(await payments(account)).toHaveLength(1)
    expect(await providerCalls(account, 'start')).toBe(1)
  })

  test('a cancellation sent again with its key is replayed, and the provider is asked once', async () => {
    const on = 'POST /payment_intents/:id/cancel-pending'
    const account = await accountLosing(on, fault)
    const { id } = await createPayment(account)
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'cancel-1' }
    await callOnWire(server(), account, 'POST', `/payment_intents/${id}/cancel-pending`, { headers })
    const again = await account.call('POST', `/payment_intents/${id}/cancel-pending`, { headers })
    expect({ status: again.status, replay: isReplay(again) }).toEqual({ status: 202, replay: 'true' })
    expect(await providerCalls(account, 'cancel')).toBe(1)
    await account.advance('5s')
    expect((await account.read(id)).failure_code).toBe('payment_cancelled')
  })

  test('a receipt sent again with its key and another boundary is replayed, and submitted once', async () => {
    const account = await accountLosing('POST /payment_intents/:id/receipt', fault)
    const { id } = await createTransfer(account)
    // A FormData has a boundary of its own each time it is sent.
    const send = async () => {
      const encoded = new Response(imageForm(1))
      const headers = {
        'content-type': encoded.headers.get('content-type') ?? '',
        'idempotency-key': 'receipt-1',
      }
      return { headers, raw: new Uint8Array(await encoded.arrayBuffer()) }
    }
    const path = `/payment_intents/${id}/receipt`
    await callOnWire(server(), account, 'POST', path, await send())
    const again = await account.call('POST', path, await send())
    expect({ status: again.status, replay: isReplay(again) }).toEqual({ status: 200, replay: 'true' })
    expect(again.body.receipt).toEqual({ status: 'processing' })
    expect(await providerCalls(account, 'submit_receipt')).toBe(1)
  })
})

test('a create sent again without a key makes a second payment', async () => {
  const account = await accountLosing('POST /payment_intents', { type: 'reset' })
  await createOnWire(server(), account)
  expectFresh(await postPayment(account, paymentBody()), 201)
  expect(await payments(account)).toHaveLength(2)
})

test('a payout whose cancel answer was lost is cancelled, and a second cancel is refused', async () => {
  const account = await accountLosing('POST /payout_intents/:id/cancel', { type: 'reset' })
  const { id } = await addPayout(account)
  await callOnWire(server(), account, 'POST', `/payout_intents/${id}/cancel`, { body: { reason: 'Twice' } })
  expectError(await cancelPayout(account, id), 422, 'invalid_state')
  expect((await readPayout(account, id)).status).toBe('cancelled')
})

describe.each<[string, Fault]>([
  ['reset', { type: 'reset' }],
  ['a 503', { type: 'status', status: 503 }],
])('a request lost before anything was done: %s', (_, fault) => {
  test('is executed when sent again with its key', async () => {
    const account = await accountLosing('POST /payment_intents', { ...fault, when: 'before' })
    await createOnWire(server(), account, 'order-1')
    expect(await payments(account)).toEqual([])
    expectFresh(await postPayment(account, paymentBody(), { 'idempotency-key': 'order-1' }), 201)
    expect(await payments(account)).toHaveLength(1)
  })

  test('leaves its key free for another request', async () => {
    const account = await accountLosing('POST /payment_intents', { ...fault, when: 'before' })
    await createOnWire(server(), account, 'order-1')
    const other = await postPayment(account, paymentBody({ amount: '777' }), { 'idempotency-key': 'order-1' })
    expectFresh(other, 201)
  })
})

test('repeatedly lost replays still make one payment', async () => {
  const account = await accountLosing('POST /payment_intents', { type: 'reset', times: 4 })
  for (let attempt = 0; attempt < 4; attempt += 1)
    expect((await createOnWire(server(), account, 'order-1')).status).toBeUndefined()
  const last = await postPayment(account, paymentBody(), { 'idempotency-key': 'order-1' })
  expect(isReplay(last)).toBe('true')
  expect((await payments(account)).map(({ id }) => id)).toEqual([last.body.id])
})
