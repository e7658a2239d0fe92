import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { upload } from '../../support/payments/receipts.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

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

/** A verification that is in flight goes on when the payment has ended. */
const VERDICTS = ['accept-receipt', 'reject-receipt']

const RESULTS: [string, string][] = [
  ['succeed', 'succeeded'],
  ['fail', 'failed'],
  ['expire', 'expired'],
]

describe.each(RESULTS)('%s', (trigger, status) => {
  test(`takes a pending intent to ${status} at the account’s time, with no action left`, async () => {
    const own = await openAccount(server())
    const { id, created_at } = await own.pay('probe_transfer')
    await own.advance('1m')
    const answer = await own.trigger(id, trigger)
    expect(answer.status, answer.text).toBe(200)
    const ended = { id, status, next_action: null, processing_reason: null }
    expect(answer.body).toMatchObject(ended)
    expect(await own.read(id)).toMatchObject({ ...ended, created_at, updated_at: await own.now() })
  })

  test.each([
    ['whose action is yet to come', async () => (await account.pay('probe_later')).id],
    ['whose action was withdrawn', withdrawn],
  ])(`takes a processing intent %s to ${status}`, async (_, make) => {
    const id = await make()
    expect((await account.read(id)).status).toBe('processing')
    await account.trigger(id, trigger)
    expect((await account.read(id)).status).toBe(status)
  })

  test('also works on a hosted intent without a method, except succeed', async () => {
    const made = await account.payHosted()
    const answer = await account.trigger(made.id, trigger)
    if (trigger === 'succeed') {
      expectError(answer, 422, 'invalid_state')
      expect(await account.read(made.id)).toEqual(made)
    } else
      expect(await account.read(made.id)).toMatchObject({ status, next_action: null, payment_method: null })
  })

  const others = TRIGGERS.filter(next => !VERDICTS.includes(next))
  test.each(others)('is final: %s is refused and changes nothing', async next => {
    const { id } = await account.pay('probe_receipt')
    await upload(account, id, png())
    await account.trigger(id, trigger)
    const before = await account.read(id)
    expectError(await account.trigger(id, next), 422, 'invalid_state')
    expect(await account.read(id)).toEqual(before)
  })

  test.each(VERDICTS)('is final: %s is refused without a verification in flight', async verdict => {
    const { id } = await account.pay('probe_transfer')
    await account.trigger(id, trigger)
    const before = await account.read(id)
    expectError(await account.trigger(id, verdict), 422, 'invalid_state')
    expect(await account.read(id)).toEqual(before)
  })

  test('is final: time changes nothing', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_receipt')
    await upload(own, id, png())
    await own.cancel(id)
    await own.advance('4s')
    await own.trigger(id, 'accept-receipt')
    await own.trigger(id, trigger)
    const before = await own.read(id)
    await own.advance('100h')
    expect(await own.read(id)).toEqual(before)
  })
})

describe('the next action', () => {
  test('can be withdrawn (processing) and presented (pending) repeatedly', async () => {
    const { id } = await account.pay('probe_transfer')
    for (let round = 0; round < 3; round += 1) {
      const { body: withdrawn } = await account.trigger(id, 'withdraw-action')
      expect(withdrawn).toMatchObject({ id, status: 'processing' })
      expect(await account.read(id)).toMatchObject({ status: 'processing', next_action: null })
      const { body: presented } = await account.trigger(id, 'present-action')
      expect(presented).toMatchObject({ id, status: 'pending' })
      const back = await account.read(id)
      expect(back.status).toBe('pending')
      expect(back.next_action.type).toBe('display_bank_transfer_instructions')
    }
  })

  test('can be presented before its time', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_later')
    await own.trigger(id, 'present-action')
    const there = await own.read(id)
    expect(there).toMatchObject({ status: 'pending', processing_reason: null })
    expect(there.next_action.type).toBe('display_qr_code')
  })

  test('presented again allows receipts and cancellations again', async () => {
    const { id } = await account.pay('probe_receipt')
    await account.trigger(id, 'withdraw-action')
    await account.trigger(id, 'present-action')
    expect((await upload(account, id, png())).status).toBe(200)
    expect((await account.cancel(id)).status).toBe(202)
  })
})

describe('a receipt’s verdict', () => {
  async function verifying(account: Account): Promise<string> {
    const { id } = await account.pay('probe_receipt')
    expect((await upload(account, id, png())).status).toBe(200)
    return id
  }

  test('accept-receipt: the receipt is submitted, the payment still pending', async () => {
    const id = await verifying(account)
    const { body } = await account.trigger(id, 'accept-receipt')
    expect(body).toMatchObject({ id, status: 'pending' })
    expect(await account.read(id)).toMatchObject({ status: 'pending', receipt: { status: 'submitted' } })
  })

  test('reject-receipt: the receipt is rejected, the payment still pending', async () => {
    const id = await verifying(account)
    const { body } = await account.trigger(id, 'reject-receipt', { failure_message: 'Blurred' })
    expect(body).toMatchObject({ id, status: 'pending' })
    expect(await account.read(id)).toMatchObject({
      status: 'pending',
      failure_code: null,
      receipt: { status: 'rejected', failure_code: 'receipt_rejected', failure_message: 'Blurred' },
    })
  })

  test('by hand is final: the provider’s later verdict changes nothing', async () => {
    const own = await openAccount(server())
    const id = await verifying(own)
    await own.trigger(id, 'reject-receipt')
    const { receipt } = await own.read(id)
    await own.advance('1m')
    expect((await own.read(id)).receipt).toEqual(receipt)
  })

  test.each(VERDICTS)('%s is refused without a verification in flight', async verdict => {
    const without = await account.pay('probe_qr')
    const before = await account.pay('probe_receipt')
    const after = await verifying(account)
    await account.trigger(after, 'accept-receipt')
    for (const id of [without.id, before.id, after])
      expectError(await account.trigger(id, verdict), 422, 'invalid_state')
  })
})

describe('a failure', () => {
  test('has the code and message that it was given', async () => {
    const { id } = await account.pay('probe_transfer')
    await account.trigger(id, 'fail', { failure_code: 'insufficient_funds', failure_message: 'Not enough' })
    expect(await account.read(id)).toMatchObject({
      status: 'failed',
      failure_code: 'insufficient_funds',
      failure_message: 'Not enough',
    })
  })

  test('has a default code when none was given', async () => {
    const { id } = await account.pay('probe_transfer')
    await account.trigger(id, 'fail')
    expect((await account.read(id)).failure_code).toMatch(/\S/)
  })

  test('a success has no failure code or message', async () => {
    const { id } = await account.pay('probe_transfer')
    await account.trigger(id, 'succeed')
    expect(await account.read(id)).toMatchObject({ failure_code: null, failure_message: null })
  })
})

test('a trigger needs no body', async () => {
  const { id } = await account.pay('probe_transfer')
  const answer = await account.control('POST', `/payments/${id}/succeed`)
  expect(answer.body, answer.text).toMatchObject({ status: 'succeeded' })
})

describe('a trigger is refused', () => {
  test('that does not exist', async () => {
    const { id } = await account.pay('probe_transfer')
    expectError(await account.trigger(id, 'explode'), 404, 'not_found')
  })

  test('confirm-cancel with no cancellation in flight', async () => {
    const { id } = await account.pay('probe_transfer')
    expectError(await account.trigger(id, 'confirm-cancel'), 422, 'invalid_state')
    expect((await account.read(id)).status).toBe('pending')
    await account.cancel(id)
    expect((await account.trigger(id, 'confirm-cancel')).status).toBe(200)
    expect(await account.read(id)).toMatchObject({
      status: 'failed',
      failure_code: 'payment_cancelled',
      next_action: null,
    })
  })

  test.each(TRIGGERS)('%s for an unknown id or one of another account', async trigger => {
    expectError(await account.trigger(`pi_${'0'.repeat(24)}`, trigger), 404, 'not_found')
    const foreign = await (await openAccount(server())).pay('probe_transfer')
    expectError(await account.trigger(foreign.id, trigger), 404, 'not_found')
  })
})

async function withdrawn(): Promise<string> {
  const { id } = await account.pay('probe_transfer')
  await account.trigger(id, 'withdraw-action')
  return id
}
