import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { contractServer, sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { choosing } from '../../support/payments/checkout-page.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { attach, storeAsset, upload } from '../../support/payments/receipts.ts'

/** The switches that change what becomes of a payment. */

describe('with non-default contract values', () => {
  const server = contractServer({
    'fields.absent': 'omit',
    'payment.expiry': '2h',
    'payment.after_cancel': 'expired',
    'payment.method_after_choice': 'keep_null',
    'cancel.no_route': 'cancel',
    'cancel.during_receipt': 'refuse',
    'status.receipt': '202',
    'hosted.page': '10m',
  })
  let account: Account
  beforeAll(async () => {
    account = await openAccount(server())
  })

  test('fields.absent = omit leaves out fields that do not apply', async () => {
    const made = await account.pay('probe_transfer')
    for (const field of ['receipt', 'processing_reason', 'failure_code', 'failure_message']) {
      expect(made).not.toHaveProperty(field)
    }
    expect(await account.read(made.id)).toEqual(made)
  })

  test('fields.absent = omit keeps fields that apply', async () => {
    expect((await account.pay('probe_receipt')).receipt).toEqual({ status: 'required' })
    expect((await account.pay('probe_later')).processing_reason).toBe('asynchronous')
    const { id } = await account.pay('probe_transfer')
    await account.trigger(id, 'fail', { failure_code: 'declined', failure_message: 'No' })
    expect(await account.read(id)).toMatchObject({ failure_code: 'declined', failure_message: 'No' })
  })

  test('fields.absent = omit leaves payment_method and next_action null', async () => {
    expect((await account.payHosted()).payment_method).toBeNull()
    expect((await account.pay('probe_later')).next_action).toBeNull()
  })

  test('payment.expiry = 2h', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_transfer')
    await own.advance('1h59m59s')
    expect((await own.read(id)).status).not.toBe('expired')
    await own.advance('1s')
    expect((await own.read(id)).status).toBe('expired')
  })

  test('payment.after_cancel = expired', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_transfer')
    await own.cancel(id)
    await own.advance('5s')
    expect((await own.read(id)).status).toBe('expired')
  })

  test('payment.method_after_choice = keep_null', async () => {
    const made = await account.payHosted()
    await choosing(made.next_action.url, 'probe_transfer')
    expect((await account.read(made.id)).payment_method).toBeNull()
    expect((await account.cancel(made.id)).status).toBe(202)
  })

  test('cancel.no_route = cancel settles without the provider', async () => {
    const own = await openAccount(server())
    const { id } = await own.payHosted()
    expect((await own.cancel(id)).status).toBe(202)
    await own.advance('5s')
    expect((await own.read(id)).status).toBe('expired')
    expect(await own.providerCalls(id, 'cancel')).toBe(0)
  })

  test('cancel.no_route = cancel does not affect a route that cannot cancel', async () => {
    const { id } = await account.pay('probe_fixed')
    expectError(await account.cancel(id), 422, 'provider_capability_unsupported')
  })

  test('cancel.during_receipt = refuse does not affect a cancellation already in flight', async () => {
    const own = await openAccount(server(), { rules: [{ cancel: 'manual', receipt: 'manual' }] })
    const { id } = await own.pay('probe_receipt')
    expect((await own.cancel(id)).status).toBe(202)
    await upload(own, id, png())
    expect((await own.cancel(id)).status).toBe(202)
    expect(await own.providerCalls(id, 'cancel')).toBe(1)
  })

  test('cancel.during_receipt = refuse applies only while the receipt is being verified', async () => {
    const { id } = await account.pay('probe_receipt')
    await upload(account, id, png())
    expectError(await account.cancel(id), 422, 'invalid_state')
    await account.trigger(id, 'reject-receipt')
    expect((await account.cancel(id)).status).toBe(202)
  })

  test('status.receipt = 202 by upload and by asset', async () => {
    expect((await upload(account, (await account.pay('probe_receipt')).id, png())).status).toBe(202)
    const asset_id = await storeAsset(account, png())
    expect((await attach(account, (await account.pay('probe_receipt')).id, { asset_id })).status).toBe(202)
  })

  test('hosted.page = 10m', async () => {
    const made = await account.payHosted()
    const lifetime = new Date(made.next_action.expires_at).getTime() - new Date(made.created_at).getTime()
    expect(lifetime).toBe(600_000)
    await account.advance('10m')
    expect(await account.read(made.id)).toMatchObject({ status: 'processing', next_action: null })
    expect((await fetch(made.next_action.url)).status).toBe(410)
  })
})

describe('with the default contract', () => {
  const server = sharedServer()

  test('payment.method_after_choice shows the code that the payer chose', async () => {
    const account = await openAccount(server())
    const made = await account.payHosted()
    await choosing(made.next_action.url, 'probe_transfer')
    expect((await account.read(made.id)).payment_method).toBe('probe_transfer')
    expect((await account.cancel(made.id)).status).toBe(202)
  })
})
