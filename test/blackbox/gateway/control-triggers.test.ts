import { describe, expect, test } from 'vitest'
import { type Account, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, idOfNothing, invalidState, notFound } from '../../support/http/refusals.ts'
import {
  cancelPending,
  createPayment,
  createTransfer,
  hostedBody,
  postPayment,
  readPayment,
  trigger,
  uploadReceipt,
} from '../../support/payments/payments.ts'

const server = sharedServer()

const TRIGGERS = [
  'present-action',
  'withdraw-action',
  'succeed',
  'fail',
  'expire',
  'accept-receipt',
  'reject-receipt',
  'confirm-cancel',
]

/** A trigger that must work, on a payment that must then read as the answer said. */
async function pull(account: Account, id: string, name: string, body = {}) {
  const answer = await succeeded(trigger(account, id, name, body))
  const payment = await readPayment(account, id)
  expect(answer).toMatchObject({ id, status: payment.status })
  return payment
}

describe('the action', () => {
  test('is withdrawn: the payment is processing, without action; and presented again', async () => {
    const account = await openAccount(server())
    const { id, next_action } = await createPayment(account)
    const withdrawn = await pull(account, id, 'withdraw-action')
    expect(withdrawn).toMatchObject({ status: 'processing', next_action: null })
    const presented = await pull(account, id, 'present-action')
    expect(presented).toMatchObject({ status: 'pending', next_action: { type: next_action.type } })
  })

  test('a withdrawn payment can still succeed', async () => {
    const account = await openAccount(server())
    const { id } = await createPayment(account)
    await pull(account, id, 'withdraw-action')
    expect(await pull(account, id, 'succeed')).toMatchObject({ status: 'succeeded', next_action: null })
  })
})

describe('an outcome', () => {
  test.each([
    ['succeed', 'succeeded'],
    ['fail', 'failed'],
    ['expire', 'expired'],
  ])('%s: the payment has %s, at the account’s time', async (name, status) => {
    const account = await openAccount(server())
    const { id, created_at } = await createPayment(account)
    await account.pass('1m')
    expect(await pull(account, id, name)).toMatchObject({
      status,
      next_action: null,
      created_at,
      updated_at: await account.now(),
    })
  })

  test('a failure carries the code and message it was given', async () => {
    const account = await openAccount(server())
    const { id } = await createPayment(account)
    const failure = { failure_code: 'insufficient_funds', failure_message: 'Not enough money' }
    expect(await pull(account, id, 'fail', failure)).toMatchObject({ status: 'failed', ...failure })
  })

  test('a success has no failure', async () => {
    const account = await openAccount(server())
    const { id } = await createPayment(account)
    expect(await pull(account, id, 'succeed')).toMatchObject({ failure_code: null, failure_message: null })
  })

  const ends = ['succeed', 'fail', 'expire'].flatMap(end =>
    TRIGGERS.map((next): [string, string] => [end, next]),
  )
  test.each(ends)('after %s, %s is refused and changes nothing', async (end, next) => {
    const account = await openAccount(server())
    const { id } = await createPayment(account)
    const settled = await pull(account, id, end)
    await account.pass('1m')
    expectRefusal(await trigger(account, id, next), invalidState)
    expect(await readPayment(account, id)).toEqual(settled)
  })
})

describe('a receipt’s verdict', () => {
  test('accept-receipt: the receipt is submitted, the payment still pending', async () => {
    const account = await openAccount(server())
    const { id } = await createTransfer(account)
    await succeeded(uploadReceipt(account, id, 'key'))
    expect(await pull(account, id, 'accept-receipt')).toMatchObject({
      status: 'pending',
      receipt: { status: 'submitted' },
    })
  })

  test('reject-receipt: the receipt is rejected, the payment still pending', async () => {
    const account = await openAccount(server())
    const { id } = await createTransfer(account)
    await succeeded(uploadReceipt(account, id, 'key'))
    expect(await pull(account, id, 'reject-receipt', { failure_message: 'Blurred' })).toMatchObject({
      status: 'pending',
      failure_code: null,
      receipt: { status: 'rejected', failure_code: 'receipt_rejected', failure_message: 'Blurred' },
    })
  })

  test('by hand comes once: the provider’s own, due later, changes nothing', async () => {
    const account = await openAccount(server())
    const { id } = await createTransfer(account)
    await succeeded(uploadReceipt(account, id, 'key'))
    const rejected = await pull(account, id, 'reject-receipt')
    await account.pass('1m')
    expect((await readPayment(account, id)).receipt).toEqual(rejected.receipt)
  })

  test.each(['accept-receipt', 'reject-receipt'])('%s is refused with none in progress', async name => {
    const account = await openAccount(server())
    const [qr, transfer] = [await createPayment(account), await createTransfer(account)]
    expectRefusal(await trigger(account, qr.id, name), invalidState)
    expectRefusal(await trigger(account, transfer.id, name), invalidState)
    await succeeded(uploadReceipt(account, transfer.id, 'key'))
    await succeeded(trigger(account, transfer.id, 'accept-receipt'))
    expectRefusal(await trigger(account, transfer.id, name), invalidState)
  })
})

describe('confirm-cancel', () => {
  test('settles a cancellation in flight', async () => {
    const account = await openAccount(server())
    const { id } = await createPayment(account)
    await succeeded(cancelPending(account, id))
    expect(await pull(account, id, 'confirm-cancel')).toMatchObject({
      status: 'failed',
      failure_code: 'payment_cancelled',
      next_action: null,
    })
  })

  test('is refused with no cancellation in flight', async () => {
    const account = await openAccount(server())
    const { id } = await createPayment(account)
    expectRefusal(await trigger(account, id, 'confirm-cancel'), invalidState)
    expect((await readPayment(account, id)).status).toBe('pending')
  })
})

test('a hosted payment without a method can be settled too', async () => {
  const account = await openAccount(server())
  const { body } = await postPayment(account, hostedBody())
  expect(await pull(account, body.id, 'expire')).toMatchObject({ status: 'expired', payment_method: null })
})

test('a trigger without a body works', async () => {
  const account = await openAccount(server())
  const { id } = await createPayment(account)
  expect(await succeeded(account.control('POST', `/payments/${id}/succeed`))).toMatchObject({
    status: 'succeeded',
  })
})

test.each(TRIGGERS)('%s of an unknown payment, or of another account’s, is 404', async name => {
  const [account, other] = [await openAccount(server()), await openAccount(server())]
  const { id } = await createPayment(other)
  expectRefusal(await trigger(account, idOfNothing('pi'), name), notFound)
  expectRefusal(await trigger(account, id, name), notFound)
})

test('an unknown trigger is 404', async () => {
  const account = await openAccount(server())
  const { id } = await createPayment(account)
  expectRefusal(await trigger(account, id, 'explode'), notFound)
})
