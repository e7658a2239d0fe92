import { describe, expect, test } from 'vitest'
import { type Account, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalidState, notFound } from '../../support/http/refusals.ts'
import {
  createPayment,
  createTransfer,
  readPayment,
  trigger,
  uploadReceipt,
} from '../../support/payments/payments.ts'

/** What triggers do to a payment is in payments/lifecycle; here is what the control surface adds. */

const server = sharedServer()

/** A trigger that must work, on a payment that must then read as the answer said. */
async function pull(account: Account, id: string, name: string, body = {}) {
  const answer = await succeeded(trigger(account, id, name, body))
  const payment = await readPayment(account, id)
  expect(answer).toMatchObject({ id, status: payment.status })
  return payment
}

test.each([
  ['succeed', 'succeeded'],
  ['fail', 'failed'],
  ['expire', 'expired'],
])('%s sets the payment to %s at the account’s time', async (name, status) => {
  const account = await openAccount(server())
  const { id, created_at } = await createPayment(account)
  await account.pass('1m')
  expect(await pull(account, id, name)).toMatchObject({ status, created_at, updated_at: await account.now() })
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

  test('by hand is final: the provider’s later verdict changes nothing', async () => {
    const account = await openAccount(server())
    const { id } = await createTransfer(account)
    await succeeded(uploadReceipt(account, id, 'key'))
    const rejected = await pull(account, id, 'reject-receipt')
    await account.pass('1m')
    expect((await readPayment(account, id)).receipt).toEqual(rejected.receipt)
  })

  test.each(['accept-receipt', 'reject-receipt'])(
    '%s is refused without a verification in progress',
    async name => {
      const account = await openAccount(server())
      const [qr, transfer] = [await createPayment(account), await createTransfer(account)]
      expectRefusal(await trigger(account, qr.id, name), invalidState)
      expectRefusal(await trigger(account, transfer.id, name), invalidState)
      await succeeded(uploadReceipt(account, transfer.id, 'key'))
      await succeeded(trigger(account, transfer.id, 'accept-receipt'))
      expectRefusal(await trigger(account, transfer.id, name), invalidState)
    },
  )
})

test('a trigger without a body works', async () => {
  const account = await openAccount(server())
  const { id } = await createPayment(account)
  expect(await succeeded(account.control('POST', `/payments/${id}/succeed`))).toMatchObject({
    status: 'succeeded',
  })
})

test('an unknown trigger is 404', async () => {
  const account = await openAccount(server())
  const { id } = await createPayment(account)
  expectRefusal(await trigger(account, id, 'explode'), notFound)
})
