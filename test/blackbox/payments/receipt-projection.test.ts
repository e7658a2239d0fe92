import { beforeEach, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { receiptOf, upload } from '../../support/payments/receipts.ts'

const server = sharedServer()
let account: Account
let id: string

beforeEach(async () => {
  account = await openAccount(server())
  id = (await account.pay('probe_receipt')).id
})

const projection = () => receiptOf(account, id)

describe('the receipt projection', () => {
  test('goes from required to processing to submitted after five seconds', async () => {
    expect(await projection()).toEqual({ status: 'required' })
    expect((await upload(account, id, png())).body.receipt).toEqual({ status: 'processing' })
    expect(await projection()).toEqual({ status: 'processing' })
    await account.advance('4999ms')
    expect(await projection()).toEqual({ status: 'processing' })
    await account.advance('1ms')
    expect(await projection()).toEqual({ status: 'submitted' })
  })

  test('is rejected with receipt_rejected and the message of the provider', async () => {
    await upload(account, id, png())
    const answer = await account.trigger(id, 'reject-receipt', { failure_message: 'The amount is cut off' })
    expect(answer.status, answer.text).toBe(200)
    expect(await projection()).toEqual({
      status: 'rejected',
      failure_code: 'receipt_rejected',
      failure_message: 'The amount is cut off',
    })
  })

  test('is rejected with a default message when none was given', async () => {
    await upload(account, id, png())
    await account.trigger(id, 'reject-receipt')
    expect(await projection()).toEqual({
      status: 'rejected',
      failure_code: 'receipt_rejected',
      failure_message: expect.stringMatching(/\S/),
    })
  })

  test('no longer shows the rejection once a replacement is uploaded', async () => {
    await upload(account, id, png(1))
    await account.trigger(id, 'reject-receipt')
    await upload(account, id, png(2))
    expect(await projection()).toEqual({ status: 'processing' })
    await account.advance('5s')
    expect(await projection()).toEqual({ status: 'submitted' })
  })

  test('follows the verdict of a trigger, and the scheduled verdict is dropped', async () => {
    await upload(account, id, png())
    await account.advance('3s')
    await account.trigger(id, 'reject-receipt')
    await account.advance('1m')
    expect((await projection()).status).toBe('rejected')
  })

  test('gives a replacement its own five seconds', async () => {
    await upload(account, id, png(1))
    await account.advance('3s')
    await account.trigger(id, 'reject-receipt')
    await upload(account, id, png(2))
    await account.advance('4999ms')
    expect(await projection()).toEqual({ status: 'processing' })
    await account.advance('1ms')
    expect(await projection()).toEqual({ status: 'submitted' })
  })

  test.each(['accept-receipt', 'reject-receipt'])(
    'accepts %s only while a receipt is being verified',
    async verdict => {
      const refused = async () => {
        const before = await account.read(id)
        expectError(await account.trigger(id, verdict), 422, 'invalid_state')
        expect(await account.read(id)).toEqual(before)
      }
      await refused()
      await upload(account, id, png())
      await account.trigger(id, 'reject-receipt')
      await refused()
      await upload(account, id, png())
      await account.trigger(id, 'accept-receipt')
      await refused()
    },
  )

  test('can be rejected many times over', async () => {
    for (const shade of [1, 2, 3, 4, 5]) {
      expect((await upload(account, id, png(shade))).status).toBe(200)
      await account.trigger(id, 'reject-receipt')
    }
    expect(await account.providerCalls(id, 'submit_receipt')).toBe(5)
    expect(await account.read(id)).toMatchObject({ status: 'pending', receipt: { status: 'rejected' } })
  })
})

describe('the payment', () => {
  test.each([
    ['processing', undefined],
    ['submitted', 'accept-receipt'],
    ['rejected', 'reject-receipt'],
  ])('stays pending with its action when its receipt becomes %s', async (state, verdict) => {
    const before = await account.read(id)
    await upload(account, id, png())
    if (verdict) await account.trigger(id, verdict)
    const { status, next_action, receipt, failure_code, failure_message } = await account.read(id)
    expect(receipt.status).toBe(state)
    expect({ status, next_action, failure_code, failure_message }).toEqual({
      status: 'pending',
      next_action: before.next_action,
      failure_code: null,
      failure_message: null,
    })
  })

  test('waits for the payer after the receipt was accepted', async () => {
    await upload(account, id, png())
    await account.advance('10s')
    expect((await account.read(id)).status).toBe('pending')
    await account.trigger(id, 'succeed')
    expect(await account.read(id)).toMatchObject({ status: 'succeeded', receipt: { status: 'submitted' } })
  })

  test('that ends while a receipt is being verified is not changed by the verdict on the receipt', async () => {
    await upload(account, id, png())
    await account.trigger(id, 'succeed')
    await account.advance('5s')
    expect(await account.read(id)).toMatchObject({
      status: 'succeeded',
      next_action: null,
      receipt: { status: 'submitted' },
    })
  })

  test('changes updated_at with each step of the receipt', async () => {
    const stamps = [(await account.read(id)).updated_at]
    for (const step of [() => upload(account, id, png()), () => account.trigger(id, 'reject-receipt')]) {
      await account.advance('1s')
      await step()
      stamps.push((await account.read(id)).updated_at)
    }
    expect(new Set(stamps).size).toBe(3)
    expect([...stamps].sort()).toEqual(stamps)
  })
})
