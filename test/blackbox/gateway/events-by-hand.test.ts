import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

const send = (account: Account, body: unknown) => account.control('POST', '/events', { body })
const eventsOf = (account: Account): Promise<Json[]> => rows(account.control('GET', '/events'))

describe('an event by hand', () => {
  test('goes signed to the endpoints that take it, before any payment exists, and changes no record', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const other = await listen(account, ['payment.created'])
    const sent = await send(account, { type: 'payment.succeeded', data: { amount: '9900' } })
    expect(sent.status, sent.text).toBe(202)
    expect(sent.body).toMatchObject({
      type: 'payment.succeeded',
      by: 'hand',
      environment: 'test',
      data: {
        object: 'payment_intent',
        status: 'succeeded',
        amount: '9900',
        created_at: await account.now(),
      },
    })
    await settle(account)
    const [delivery] = receiver.deliveries
    const { by: _, ...body } = sent.body
    expect(
      new Webhook(receiver.endpoint.secret).verify(delivery?.text ?? '', delivery?.headers ?? {}),
    ).toEqual(body)
    expect([receiver.deliveries.length, other.deliveries.length]).toEqual([1, 0])
    await succeeded(send(account, { type: 'payment.created' }))
    await settle(account)
    expect([receiver.deliveries.length, other.deliveries.length]).toEqual([1, 1])
    expect(await rows(account.control('GET', '/payments'))).toEqual([])
    const [first, second] = await eventsOf(account)
    expect(first).toEqual(sent.body)
    expect(second?.data.id).not.toBe(first?.data.id)
  })

  test('can be a copy of another one with other data, and is tried again with the same bytes', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const { id } = await createPayment(account)
    await succeeded(account.trigger(id, 'succeed'))
    await settle(account)
    const [original] = await eventsOf(account)
    receiver.reply(nth => ({ status: nth === 2 ? 500 : 204 }))
    const data = { amount: '1', ['__proto__']: 'x', unknown: { deep: [1] } }
    const copy = await succeeded(send(account, { event: original?.id, data }))
    await settle(account)
    await account.advance('1h')
    const [, failed, again] = receiver.deliveries
    expect(again?.text).toBe(failed?.text)
    expect(failed?.event).toMatchObject({
      id: copy.id,
      type: 'payment.succeeded',
      data: { ...original?.data, amount: '1', unknown: { deep: [1] } },
    })
    expect(copy.id).not.toBe(original?.id)
    expect((await account.read(id)).amount).toBe(original?.data.amount)
  })

  test('is exported, imported and redelivered as it was', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    await succeeded(send(account, { type: 'payout.failed', data: { extra: [null, { a: 1 }] } }))
    await settle(account)
    const before = await eventsOf(account)
    const archive = await succeeded(account.control('GET', '/export'))
    await succeeded(account.control('PUT', '/import', { body: archive }))
    expect(await eventsOf(account)).toEqual(before)
    const [delivery] = await rows(account.control('GET', '/webhook-deliveries'))
    await succeeded(account.control('POST', `/webhook-deliveries/${delivery?.id}/redeliver`))
    await settle(account)
    expect(receiver.deliveries[1]?.text).toBe(receiver.deliveries[0]?.text)
    expect(await succeeded(account.control('GET', `/browse/webhook-deliveries`))).toMatchObject({
      data: [{ event_type: 'payout.failed', record: null }],
    })
  })

  test.each([
    [{}, 400],
    [{ type: 'payment.succeeded', event: 'evt_1' }, 400],
    [{ type: 'payment.won' }, 400],
    [{ type: 'payment.succeeded', data: [] }, 400],
    [{ type: 'payment.succeeded', data: 'x' }, 400],
    [{ event: 'evt_none' }, 404],
  ])('%j is refused with %i', async (body, status) => {
    const account = await openAccount(server())
    const refused = await send(account, body)
    expect(refused.status, refused.text).toBe(status)
    expect(await eventsOf(account)).toEqual([])
  })
})
