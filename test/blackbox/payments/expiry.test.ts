import { beforeEach, describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { upload } from '../../support/payments/receipts.ts'

const server = sharedServer()
let account: Account

beforeEach(async () => {
  account = await openAccount(server())
})

const expiresAfter = (duration: string) =>
  account.control('PUT', '/rules', { body: { rules: [{ action: { expires_after: duration } }] } })
const justBefore = (time: string) => new Date(new Date(time).getTime() - 1).toISOString()

describe('an action expires', () => {
  const actions: [string, () => Promise<Json>][] = [
    ['bank transfer instructions', () => account.pay('probe_transfer')],
    ['a redirect', () => account.pay('probe_redirect')],
    ['a hosted page, with a method', () => account.payHosted({ payment_method: 'probe_qr' })],
    ['a hosted page, without a method', () => account.payHosted()],
  ]

  test.each(actions)('at exactly its expires_at: %s', async (_, create) => {
    const made = await create()
    await account.advanceTo(justBefore(made.next_action.expires_at))
    expect(await account.read(made.id)).toEqual(made)
    await account.advance('1ms')
    const after = await account.read(made.id)
    expect(after.status).not.toBe('pending')
    expect(after.next_action).toBeNull()
  })

  test('after the time in its rule: 29:59 pending, 30:00 processing', async () => {
    await expiresAfter('30m')
    const { id } = await account.payHosted({ payment_method: 'probe_qr' })
    await account.advance('29m59s')
    expect((await account.read(id)).status).toBe('pending')
    await account.advance('1s')
    expect(await account.read(id)).toMatchObject({ status: 'processing', next_action: null })
  })

  test('and the payment can still succeed', async () => {
    await expiresAfter('30m')
    const { id } = await account.payHosted({ payment_method: 'probe_transfer' })
    await account.advance('30m')
    await account.trigger(id, 'succeed')
    expect((await account.read(id)).status).toBe('succeeded')
  })

  test('and neither a receipt nor a cancellation is accepted any more', async () => {
    await expiresAfter('30m')
    const { id } = await account.payHosted({ payment_method: 'probe_receipt' })
    await account.advance('30m')
    expectError(await account.cancel(id), 422, 'invalid_state')
    expectError(await upload(account, id, png()), 422, 'invalid_state')
  })

  test('and an action presented again gets its full time', async () => {
    await expiresAfter('30m')
    const { id } = await account.pay('probe_transfer')
    await account.advance('20m')
    await account.trigger(id, 'withdraw-action')
    await account.trigger(id, 'present-action')
    const { next_action } = await account.read(id)
    await account.advanceTo(justBefore(next_action.expires_at))
    expect((await account.read(id)).next_action).toEqual(next_action)
    await account.advance('1ms')
    expect(await account.read(id)).toMatchObject({ status: 'processing', next_action: null })
  })
})

describe('an intent expires 72 hours after its creation', () => {
  test.each<[string, () => Promise<Json>]>([
    ['by bank transfer', () => account.pay('probe_transfer')],
    ['by QR code', () => account.pay('probe_qr')],
    ['whose action came later', () => account.pay('probe_later')],
    ['that requires a receipt', () => account.pay('probe_receipt')],
    ['in hosted mode', () => account.payHosted()],
  ])('%s: not at 71:59:59, but at 72:00:00', async (_, create) => {
    const { id } = await create()
    await account.advance('71h59m59s')
    expect(['pending', 'processing']).toContain((await account.read(id)).status)
    await account.advance('1s')
    expect(await account.read(id)).toMatchObject({
      status: 'expired',
      next_action: null,
      processing_reason: null,
    })
  })

  test('at exactly that time, however far the clock jumps', async () => {
    const made = await account.pay('probe_transfer')
    await account.advance('500h')
    const { status, updated_at } = await account.read(made.id)
    expect(status).toBe('expired')
    expect(new Date(updated_at).getTime() - new Date(made.created_at).getTime()).toBe(72 * 3_600_000)
  })

  test('each counted from its own creation', async () => {
    const first = await account.pay('probe_transfer')
    await account.advance('1h')
    const second = await account.pay('probe_transfer')
    await account.advance('71h')
    expect((await account.read(first.id)).status).toBe('expired')
    expect((await account.read(second.id)).status).not.toBe('expired')
    await account.advance('1h')
    expect((await account.read(second.id)).status).toBe('expired')
  })

  test('unless it has already ended', async () => {
    const made = await account.pay('probe_transfer')
    await account.advance('71h59m59s')
    await account.trigger(made.id, 'succeed')
    await account.advance('1s')
    expect((await account.read(made.id)).status).toBe('succeeded')
  })
})

test("advancing one account's clock does not move another's", async () => {
  const { test: moved, live } = await openMerchant(server())
  const still = await live.pay('probe_transfer')
  const gone = await moved.pay('probe_transfer')
  await moved.advance('72h')
  expect((await moved.read(gone.id)).status).toBe('expired')
  expect(await live.read(still.id)).toEqual(still)
})
