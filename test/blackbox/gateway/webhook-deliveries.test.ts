import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  type Account,
  type Json,
  openAccount,
  openMerchant,
  rows,
  succeeded,
} from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, notFound } from '../../support/http/refusals.ts'
import { addPayout, cancelPayout } from '../../support/payments/payouts.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

async function cancelOne(account: Account) {
  const { id } = await addPayout(account)
  await succeeded(cancelPayout(account, id))
  await settle(account)
}

const deliveriesOf = (account: Account): Promise<Json[]> =>
  rows(account.control('GET', '/webhook-deliveries'))

const redeliver = (account: Account, id: string) =>
  account.control('POST', `/webhook-deliveries/${id}/redeliver`)

describe('the list of deliveries', () => {
  test('returns each with its event, and its attempts with headers and bodies', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(nth =>
      nth === 1 ? { status: 418, body: 'short and stout' } : { status: 200, body: 'tea' },
    )
    await cancelOne(account)
    await account.advance('5s')
    const [delivery, ...others] = await deliveriesOf(account)
    expect(others).toEqual([])
    expect(delivery).toMatchObject({
      id: expect.any(String),
      event: receiver.deliveries[0]?.event.id,
      event_type: 'payout.cancelled',
      url: receiver.endpoint.url,
    })
    expect(delivery.attempts).toHaveLength(2)
    const answers = [
      { status: 418, body: 'short and stout' },
      { status: 200, body: 'tea' },
    ]
    for (const [nth, answer] of answers.entries()) {
      const { request, response } = delivery.attempts[nth]
      const { text, headers } = receiver.deliveries[nth] ?? {}
      expect(request.body).toBe(text)
      expect(headers).toMatchObject(request.headers)
      expect(request.headers).toHaveProperty('webhook-signature')
      expect(response).toMatchObject(answer)
    }
  })

  test('keeps the headers of an answer, but not what opens something, and not more than so many', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`x-${nth}`, 'y'.repeat(100)]))
    receiver.reply(nth => {
      if (nth === 1) return { reset: true }
      const headers = { 'x-request-id': 'r-1', 'x-auth-token': 'abc', 'x-long': 'z'.repeat(1000), ...many }
      return { status: 500, headers: { 'set-cookie': 'session=abc; HttpOnly', ...headers } }
    })
    await cancelOne(account)
    await account.advance('5s')
    const [{ attempts }] = await deliveriesOf(account)
    const [lost, answered] = attempts
    expect(lost.response).toMatchObject({ status: null, headers: null })
    const { headers } = answered.response
    expect(headers).toMatchObject({
      'set-cookie': 'session=…; HttpOnly',
      'x-request-id': 'r-1',
      'x-auth-token': '…',
      'x-long': 'z'.repeat(256),
    })
    expect(headers).not.toHaveProperty('connection')
    expect(headers).toHaveProperty('x-0', 'y'.repeat(100))
    expect(headers).not.toHaveProperty('x-39')
    expect(JSON.stringify(headers).length).toBeLessThan(2600)
  })

  test('has one row per event and endpoint', async () => {
    const account = await openAccount(server())
    await listen(account)
    await listen(account)
    await cancelOne(account)
    await cancelOne(account)
    expect(await deliveriesOf(account)).toHaveLength(4)
  })

  test('does not show the endpoint’s secret', async () => {
    const account = await openAccount(server())
    const { endpoint } = await listen(account)
    await cancelOne(account)
    const { text } = await account.control('GET', '/webhook-deliveries')
    expect(text).not.toContain(endpoint.secret)
  })

  test('has no deliveries of another account', async () => {
    const merchant = await openMerchant(server())
    await listen(merchant.test)
    await cancelOne(merchant.test)
    expect(await deliveriesOf(merchant.live)).toEqual([])
  })
})

describe('redelivery', () => {
  test('sends the same event again with a valid signature', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    await cancelOne(account)
    const [delivery] = await deliveriesOf(account)
    await succeeded(redeliver(account, delivery.id))
    await settle(account)
    expect(receiver.deliveries).toHaveLength(2)
    const [first, again] = receiver.deliveries
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(again?.text).toBe(first?.text)
    new Webhook(receiver.endpoint.secret).verify(again?.text ?? '', again?.headers ?? {})
  })

  test('is possible after every attempt has failed', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ status: 500 }))
    await cancelOne(account)
    await account.advance('30d')
    receiver.reply(() => ({ status: 200 }))
    const [delivery] = await deliveriesOf(account)
    await succeeded(redeliver(account, delivery.id))
    await settle(account)
    await account.advance('30d')
    expect(receiver.deliveries).toHaveLength(11)
  })

  test('ends the schedule if it succeeds', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(nth => ({ status: nth === 1 ? 500 : 200 }))
    await cancelOne(account)
    const [delivery] = await deliveriesOf(account)
    await succeeded(redeliver(account, delivery.id))
    await settle(account)
    await account.advance('30d')
    expect(receiver.deliveries).toHaveLength(2)
  })

  test('of another account’s delivery is 404 and sends nothing', async () => {
    const merchant = await openMerchant(server())
    const receiver = await listen(merchant.test)
    await cancelOne(merchant.test)
    const [delivery] = await deliveriesOf(merchant.test)
    expectRefusal(await redeliver(merchant.live, delivery.id), notFound)
    await settle(merchant.test)
    expect(receiver.deliveries).toHaveLength(1)
  })
})
