import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { PAYMENT_ID, TIMESTAMP } from '../../support/http/answers.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const FIELDS = [
  'id',
  'object',
  'amount',
  'currency',
  'country',
  'checkout_mode',
  'environment',
  'merchant_reference',
  'payment_method',
  'status',
  'processing_reason',
  'next_action',
  'receipt',
  'failure_code',
  'failure_message',
  'created_at',
  'updated_at',
]

describe('a payment intent', () => {
  test('has every field and no other, null where it does not apply', async () => {
    const made = await account.pay('probe_transfer', { merchant_reference: 'order-77' })
    expect(Object.keys(made).sort()).toEqual([...FIELDS].sort())
    expect(made).toMatchObject({
      object: 'payment_intent',
      amount: '15000',
      currency: 'THB',
      country: 'TH',
      checkout_mode: 'merchant',
      environment: 'test',
      merchant_reference: 'order-77',
      payment_method: 'probe_transfer',
      status: 'pending',
      processing_reason: null,
      receipt: null,
      failure_code: null,
      failure_message: null,
    })
    expect(made.next_action).not.toBeNull()
  })

  test.each(['probe_transfer', 'probe_receipt', 'probe_qr', 'probe_redirect', 'probe_later'])(
    'has the same fields by %s',
    async method => {
      expect(Object.keys(await account.pay(method)).sort()).toEqual([...FIELDS].sort())
    },
  )

  test.each(['succeed', 'fail', 'expire'])('has the same fields after %s', async trigger => {
    const made = await account.pay('probe_receipt')
    await account.trigger(made.id, trigger)
    expect(Object.keys(await account.read(made.id)).sort()).toEqual([...FIELDS].sort())
  })

  test('has a unique id in the documented format', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await account.payHosted()).id))
    for (const id of ids) expect(id).toMatch(PAYMENT_ID)
    expect(new Set(ids).size).toBe(20)
  })

  test('has created_at and updated_at in account time, UTC with milliseconds, equal at first', async () => {
    const made = await account.pay('probe_transfer')
    expect(made.created_at).toMatch(TIMESTAMP)
    expect(made.updated_at).toBe(made.created_at)
    expect(made.created_at).toBe(await account.now())
  })

  test('changes updated_at with its status, but never created_at', async () => {
    const made = await account.pay('probe_transfer')
    await account.advance('1500ms')
    await account.trigger(made.id, 'succeed')
    const done = await account.read(made.id)
    expect(done.created_at).toBe(made.created_at)
    expect(new Date(done.updated_at).getTime() - new Date(made.created_at).getTime()).toBe(1500)
  })

  test('is read exactly as it was created', async () => {
    const made = await account.pay('probe_receipt')
    expect(await account.read(made.id)).toEqual(made)
    await account.advance('1s')
    expect(await account.read(made.id)).toEqual(made)
  })

  test('created in hosted mode without a method has no method and no receipt', async () => {
    const made = await account.payHosted()
    expect(made).toMatchObject({
      payment_method: null,
      status: 'pending',
      receipt: null,
      checkout_mode: 'hosted',
    })
  })

  test('created in hosted mode with a method keeps it', async () => {
    expect((await account.payHosted({ payment_method: 'probe_qr' })).payment_method).toBe('probe_qr')
  })

  test('has a receipt if its method requires one, in either mode', async () => {
    expect((await account.pay('probe_receipt')).receipt).toEqual({ status: 'required' })
    const inHosted = await account.payHosted({ payment_method: 'probe_receipt' })
    expect(inHosted.receipt).toEqual({ status: 'required' })
  })
})
