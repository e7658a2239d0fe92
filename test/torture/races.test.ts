import { describe, expect, test, vi } from 'vitest'
import { openAccount, rows, succeeded } from '../support/gateway/merchant.ts'
import { fileServer } from '../support/gateway/shared-server.ts'
import { allAtOnce, CLIENTS, outcomes } from '../support/http/clients.ts'
import {
  attachAsset,
  createPayment,
  createTransfer,
  paymentBody,
  postPayment,
  storeAsset,
  uploadReceipt,
} from '../support/payments/payments.ts'
import { addPayout, cancelPayout, movePayout, readPayout } from '../support/payments/payouts.ts'
import { TIMEOUT_MS } from '../support/torture/tally.ts'
import { listen, settle } from '../support/webhooks/receiver.ts'

// 200 clients on one account: every race has exactly one winner.

// Two hundred requests take their time on a busy machine.
vi.setConfig({ testTimeout: TIMEOUT_MS })

const server = fileServer()

const providerCalls = async (account: Awaited<ReturnType<typeof openAccount>>, call: string) =>
  (await rows(account.control('GET', '/provider-calls'))).filter(row => row.call === call)

describe('creates', () => {
  test('with one key and one body make one payment, which every caller gets', async () => {
    const account = await openAccount(server())
    const answers = await allAtOnce(() => postPayment(account, paymentBody(), { 'idempotency-key': 'one' }))
    expect(outcomes(answers)).toEqual({ 201: CLIENTS })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const fresh = answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)
    expect(fresh).toHaveLength(1)
    expect(await rows(account.control('GET', '/payments'))).toHaveLength(1)
    expect(await providerCalls(account, 'start')).toHaveLength(1)
  })

  test('with one key and different bodies: one wins, all others get the conflict', async () => {
    const account = await openAccount(server())
    const answers = await allAtOnce(client =>
      postPayment(account, paymentBody({ merchant_reference: `client ${client}` }), {
        'idempotency-key': 'one',
      }),
    )
    expect(outcomes(answers)).toEqual({ 201: 1, idempotency_conflict: CLIENTS - 1 })
    expect(await rows(account.control('GET', '/payments'))).toHaveLength(1)
  })

  test('without keys make one payment each', async () => {
    const account = await openAccount(server())
    const answers = await allAtOnce(() => postPayment(account, paymentBody()))
    expect(outcomes(answers)).toEqual({ 201: CLIENTS })
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(CLIENTS)
    for (const { body } of answers.slice(0, 20)) expect(await account.read(body.id)).toEqual(body)
  })
})

describe('receipts of one payment', () => {
  test('one image with one key: one submission, one answer for all', async () => {
    const account = await openAccount(server())
    const { id } = await createTransfer(account)
    const answers = await allAtOnce(() => uploadReceipt(account, id, 'one'))
    expect(outcomes(answers)).toEqual({ 200: CLIENTS })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await providerCalls(account, 'submit_receipt')).toHaveLength(1)
  })

  test('different images with one key: one is submitted', async () => {
    const account = await openAccount(server())
    const { id } = await createTransfer(account)
    const answers = await allAtOnce(client => uploadReceipt(account, id, 'one', client))
    expect(outcomes(answers)).toEqual({ 200: 1, idempotency_conflict: CLIENTS - 1 })
    expect(await providerCalls(account, 'submit_receipt')).toHaveLength(1)
  })

  test('different images with a key each: one is submitted', async () => {
    const account = await openAccount(server())
    const { id } = await createTransfer(account)
    const answers = await allAtOnce(client => uploadReceipt(account, id, `key ${client}`, client))
    expect(outcomes(answers)).toEqual({ 200: 1, invalid_state: CLIENTS - 1 })
    expect(await providerCalls(account, 'submit_receipt')).toHaveLength(1)
  })

  test('one asset for many payments: one gets it', async () => {
    const account = await openAccount(server())
    const asset = await storeAsset(account)
    const transfers = await allAtOnce(() => createTransfer(account))
    const answers = await allAtOnce(client => attachAsset(account, transfers[client].id, asset.id))
    expect(outcomes(answers)).toEqual({ 200: 1, invalid_state: CLIENTS - 1 })
    expect(await providerCalls(account, 'submit_receipt')).toHaveLength(1)
  })
})

describe('cancels', () => {
  test('of one payment ask the provider once, and end in one event', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const { id } = await createPayment(account)
    const answers = await allAtOnce(() => account.cancel(id))
    expect(outcomes(answers)).toEqual({ 202: CLIENTS })
    expect(await providerCalls(account, 'cancel')).toHaveLength(1)
    await account.advance('1m')
    expect(receiver.deliveries.map(({ event }) => event.type)).toEqual(['payment.cancelled'])
  })

  test('of one payout: one wins', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const { id } = await addPayout(account)
    const answers = await allAtOnce(client => cancelPayout(account, id, { reason: `client ${client}` }))
    expect(outcomes(answers)).toEqual({ 200: 1, invalid_state: CLIENTS - 1 })
    await settle(account)
    const winner = answers.findIndex(({ status }) => status === 200)
    expect(receiver.deliveries.map(({ event }) => event.data.cancel_reason)).toEqual([`client ${winner}`])
  })

  test('of one payout against its approval: exactly one wins', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const { id } = await addPayout(account)
    const answers = await allAtOnce(client =>
      client % 2 ? cancelPayout(account, id) : movePayout(account, id, 'approve'),
    )
    expect(outcomes(answers)).toEqual({ 200: 1, invalid_state: CLIENTS - 1 })
    const winner = answers.find(({ status }) => status === 200)
    expect((await readPayout(account, id)).status).toBe(winner?.body.status)
    await settle(account)
    expect(receiver.deliveries).toHaveLength(winner?.body.status === 'cancelled' ? 1 : 0)
  })
})

test('outcomes of one payment: one wins, with one event', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  const { id } = await createPayment(account)
  const names = ['succeed', 'fail', 'expire']
  const answers = await allAtOnce(client => account.trigger(id, names[client % 3] ?? ''))
  expect(outcomes(answers)).toEqual({ 200: 1, invalid_state: CLIENTS - 1 })
  await settle(account)
  const payment = await succeeded(account.call('GET', `/payment_intents/${id}`))
  expect(receiver.deliveries.map(({ event }) => [event.type, event.data])).toEqual([
    [`payment.${payment.status}`, payment],
  ])
})
