import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectFresh, expectReplay } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { freshKey, receiptOf, upload } from '../../support/payments/receipts.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const json = { 'content-type': 'application/json' }
const path = (id: string) => `/payment_intents/${id}/cancel-pending`

describe('the request', () => {
  test.each([
    ['no body', {}],
    ['an empty object', { raw: '{}' }],
    ['members that it does not know', { raw: '{"reason":"changed my mind"}' }],
    ['a charset', { headers: { 'content-type': 'application/json; charset=utf-8' } }],
    ['the content type in capitals', { headers: { 'content-type': 'Application/JSON' } }],
  ])('with %s is accepted', async (_, options) => {
    const { id } = await account.pay('probe_transfer')
    const answer = await account.call('POST', path(id), { headers: json, ...options })
    expect(answer.status, answer.text).toBe(202)
  })

  test.each([
    ['no content type', {}],
    ['text/plain', { headers: { 'content-type': 'text/plain' } }],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['multipart', { headers: { 'content-type': 'multipart/form-data; boundary=x' } }],
    ['a type that only starts so', { headers: { 'content-type': 'application/jsonx' } }],
    ['an invalid type', { headers: { 'content-type': 'json' } }],
    ['text/plain with a JSON body', { headers: { 'content-type': 'text/plain' }, raw: '{}' }],
  ])('with %s: 415, and nothing changes', async (_, options) => {
    const made = await account.pay('probe_transfer')
    expectError(await account.call('POST', path(made.id), options), 415, 'unsupported_media_type')
    expect(await account.read(made.id)).toEqual(made)
    expect(await account.providerCalls(made.id, 'cancel')).toBe(0)
  })

  test('with malformed JSON: 400, and the provider is not called', async () => {
    const made = await account.pay('probe_transfer')
    const answer = await account.call('POST', path(made.id), { raw: '{"a":', headers: json })
    expectError(answer, 400, 'validation_failed')
    expect(await account.providerCalls(made.id, 'cancel')).toBe(0)
  })

  test('with a key is replayed byte for byte', async () => {
    const { id } = await account.pay('probe_transfer')
    const headers = { 'idempotency-key': freshKey() }
    const first = await account.cancel(id, headers)
    expectFresh(first, 202)
    await account.advance('5s')
    expectReplay(await account.cancel(id, headers), first)
  })

  test('with a key forgets it after 24 hours', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_transfer')
    const headers = { 'idempotency-key': 'day' }
    const first = await own.cancel(id, headers)
    await own.advance('23h59m59s')
    expectReplay(await own.cancel(id, headers), first)
    await own.advance('1s')
    expectError(await own.cancel(id, headers), 422, 'invalid_state')
  })

  test.each([
    ['of 256 characters', 'k'.repeat(256)],
    ['that is empty', ''],
  ])('with a key %s: 400', async (_, key) => {
    const { id } = await account.pay('probe_transfer')
    expectError(await account.cancel(id, { 'idempotency-key': key }), 400, 'validation_failed')
  })
})

describe('is refused for', () => {
  test('an intent whose frozen route does not support it', async () => {
    const made = await account.pay('probe_fixed')
    expectError(await account.cancel(made.id), 422, 'provider_capability_unsupported')
    expect(await account.read(made.id)).toEqual(made)
  })

  test('a hosted intent with no method chosen', async () => {
    const made = await account.payHosted()
    expectError(await account.cancel(made.id), 422, 'provider_capability_unsupported')
  })

  test.each(['succeed', 'fail', 'expire', 'withdraw-action'])('an intent after %s', async trigger => {
    const { id } = await account.pay('probe_transfer')
    await account.trigger(id, trigger)
    const before = await account.read(id)
    expectError(await account.cancel(id), 422, 'invalid_state')
    expect(await account.read(id)).toEqual(before)
    expect(await account.providerCalls(id, 'cancel')).toBe(0)
  })

  test('an intent whose action is yet to come', async () => {
    expectError(await account.cancel((await account.pay('probe_later')).id), 422, 'invalid_state')
  })

  test('an intent that was already cancelled', async () => {
    const { id } = await account.pay('probe_transfer')
    await account.cancel(id)
    await account.advance('5s')
    expectError(await account.cancel(id), 422, 'invalid_state')
  })
})

describe('the cancellation', () => {
  test('leaves the intent pending with its action while it is in flight', async () => {
    const made = await account.pay('probe_transfer')
    const answer = await account.cancel(made.id)
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({ id: made.id, status: 'pending', next_action: made.next_action })
    expect(await account.read(made.id)).toEqual(answer.body)
  })

  test('is confirmed after five seconds: failed, payment_cancelled', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_transfer')
    await own.cancel(id)
    await own.advance('4999ms')
    expect((await own.read(id)).status).toBe('pending')
    await own.advance('1ms')
    expect(await own.read(id)).toMatchObject({
      status: 'failed',
      failure_code: 'payment_cancelled',
      next_action: null,
      processing_reason: null,
    })
  })

  test('repeated while in flight gets 202 again, without a second provider call or a delay', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_transfer')
    const first = await own.cancel(id)
    await own.advance('3s')
    const again = await own.cancel(id)
    expectFresh(again, 202)
    expect(again.body).toEqual(first.body)
    expect(await own.providerCalls(id, 'cancel')).toBe(1)
    await own.advance('2s')
    expect((await own.read(id)).status).toBe('failed')
    expect(await own.providerCalls(id, 'cancel')).toBe(1)
  })

  test('works for a hosted intent with a method', async () => {
    const { id } = await account.payHosted({ payment_method: 'probe_redirect' })
    expect((await account.cancel(id)).status).toBe(202)
    await account.advance('5s')
    expect((await account.read(id)).failure_code).toBe('payment_cancelled')
  })

  test('loses to a payment that succeeds first', async () => {
    const { id } = await account.pay('probe_transfer')
    await account.cancel(id)
    await account.trigger(id, 'succeed')
    await account.advance('5s')
    expect(await account.read(id)).toMatchObject({ status: 'succeeded', failure_code: null })
  })

  test('continues if the action is withdrawn meanwhile', async () => {
    const { id } = await account.pay('probe_transfer')
    await account.cancel(id)
    await account.trigger(id, 'withdraw-action')
    await account.advance('5s')
    expect(await account.read(id)).toMatchObject({ status: 'failed', failure_code: 'payment_cancelled' })
  })

  test('sends only the event payment.cancelled', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_transfer')
    await own.control('POST', '/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/' } })
    await own.cancel(id)
    await own.trigger(id, 'confirm-cancel')
    const events = await own.control('GET', '/events')
    expect(events.text).toContain('payment.cancelled')
    expect(events.text).not.toContain('payment.failed')
  })
})

describe('a cancellation with a receipt', () => {
  test('being verified is accepted, and the verification continues', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_receipt')
    await upload(own, id, png())
    await own.advance('2s')
    const answer = await own.cancel(id)
    expect(answer.status).toBe(202)
    expect(answer.body.receipt).toEqual({ status: 'processing' })
    await own.advance('3s')
    expect(await receiptOf(own, id)).toEqual({ status: 'submitted' })
    await own.advance('2s')
    expect(await own.read(id)).toMatchObject({ status: 'failed', failure_code: 'payment_cancelled' })
  })

  test('already accepted or rejected is accepted too', async () => {
    for (const verdict of ['accept-receipt', 'reject-receipt']) {
      const { id } = await account.pay('probe_receipt')
      await upload(account, id, png())
      await account.trigger(id, verdict)
      expect((await account.cancel(id)).status).toBe(202)
    }
  })
})
