import { expect, test } from 'vitest'
import { paysim, promptPay, standingAccount } from '../support/library/library.ts'

async function succeeded(account: Awaited<ReturnType<typeof standingAccount>>, reference = 'order-1') {
  const { id } = await account.client.payments.create(promptPay(reference))
  await account.payments.succeed(id)
  return id
}

test('an event is verified, and has its data, headers and body', async () => {
  const account = await standingAccount()
  const id = await succeeded(account)
  const event = await account.webhooks.next({ type: 'payment.succeeded' })
  expect(event).toMatchObject({
    type: 'payment.succeeded',
    environment: 'test',
    delivery: 1,
    problem: null,
    data: { id, object: 'payment_intent', status: 'succeeded', merchant_reference: 'order-1' },
    headers: { 'webhook-id': event.id, 'webhook-timestamp': String(event.signedAt) },
  })
  expect(JSON.parse(event.body)).toMatchObject({ id: event.id })
  const signature = String(event.headers['webhook-signature'])
  const message = { id: event.id, timestamp: event.signedAt, body: event.body }
  expect(paysim.verifyWebhook(message, signature, account.webhooks.endpoint.secret)).toBe(true)
})

test('returns each event once, to the caller that waited first', async () => {
  const account = await standingAccount()
  const waiting = [account.webhooks.next(), account.webhooks.next()]
  const ids = [await succeeded(account, 'a'), await succeeded(account, 'b')]
  expect((await Promise.all(waiting)).map(({ data }) => data.id)).toEqual(ids)
  await expect(account.webhooks.next(undefined, { timeoutMs: 1 })).rejects.toThrow(paysim.WebhookTimeoutError)
  expect(account.webhooks.all().map(({ data }) => data.id)).toEqual(ids)
})

test('a match selects by type, by members of the data, or by a function', async () => {
  const account = await standingAccount()
  const [a, b, c, d] = [
    await succeeded(account, 'a'),
    await succeeded(account, 'b'),
    await succeeded(account, 'c-1'),
    await succeeded(account, 'd'),
  ]
  const { webhooks } = account
  expect((await webhooks.next({ merchant_reference: 'b' })).data.id).toBe(b)
  expect((await webhooks.next(({ data }) => data.merchant_reference === 'd')).data.id).toBe(d)
  expect((await webhooks.next({ 'data.merchant_reference': /^c-/ })).data.id).toBe(c)
  expect(
    (await webhooks.next({ type: ['payment.failed', 'payment.succeeded'], data: { id: a } })).data.id,
  ).toBe(a)
})

test('an error about a missing webhook lists those that arrived', async () => {
  const account = await standingAccount()
  const id = await succeeded(account)
  await account.webhooks.next()
  await expect(account.webhooks.next({ type: 'payment.failed', id }, { timeoutMs: 1 })).rejects.toThrow(
    `no webhook with type "payment.failed", id "${id}" within 1ms; received so far: payment.succeeded of ${id}`,
  )
})

test('an event with a bad signature rejects once, and is kept', async () => {
  const account = await standingAccount()
  await account.faults.replace([{ on: 'webhook', times: 1, type: 'bad_signature' }])
  const forged = await succeeded(account)
  await expect(account.webhooks.next({ type: 'payment.failed' })).rejects.toThrow(
    /signature .* does not match/,
  )
  await account.clock.advance({ until: 'idle' })
  expect(account.webhooks.all().length).toBeGreaterThan(1)
  expect(account.webhooks.all().every(({ data, problem }) => data.id === forged && problem !== null)).toBe(
    true,
  )
  const id = await succeeded(account)
  expect((await account.webhooks.next()).data.id).toBe(id)
})

test('a webhook without a signature or with an old one is rejected', async () => {
  const account = await standingAccount()
  const { url } = account.webhooks
  const answer = await fetch(url, { method: 'POST', body: '{"id":"evt_1","type":"payment.succeeded"}' })
  expect(answer.status).toBe(400)
  await expect(account.webhooks.next()).rejects.toThrow('it has no webhook-id')
  const { secret } = account.webhooks.endpoint
  const old = { id: 'evt_2', timestamp: 1, body: '{"id":"evt_2"}' }
  const headers = {
    'webhook-id': old.id,
    'webhook-timestamp': String(old.timestamp),
    'webhook-signature': paysim.signWebhook(old, [secret]),
  }
  await fetch(url, { method: 'POST', body: old.body, headers })
  await expect(account.webhooks.next()).rejects.toThrow('stale')
})

test('the receiver gives the chosen answer, and the delivery is retried', async () => {
  const account = await standingAccount()
  account.webhooks.respond((_, nth) => (nth === 1 ? { status: 503 } : nth === 2 ? { reset: true } : {}))
  const id = await succeeded(account)
  await account.clock.advance({ until: 'idle' })
  expect(account.webhooks.all().map(({ delivery, data }) => [delivery, data.id])).toEqual([
    [1, id],
    [2, id],
    [3, id],
  ])
  const [delivery] = await account.deliveries()
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(delivery?.attempts.map(({ response }) => response?.status)).toEqual([503, null, 204])
})

test('an answer can be set, and delayed', async () => {
  const account = await standingAccount()
  account.webhooks.respond({ status: 410, body: 'gone' })
  await succeeded(account)
  await account.clock.advance('0s')
  expect(await account.deliveries()).toMatchObject([
    { status: 'failed', attempts: [{ response: { status: 410, body: 'gone' } }] },
  ])
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const second = await standingAccount()
  second.webhooks.respond(async () => {
    await held
    return {}
  })
  await succeeded(second)
  await second.webhooks.next()
  expect(await second.deliveries()).toMatchObject([{ status: 'attempting' }])
  release()
  await second.clock.advance('0s')
  expect(await second.deliveries()).toMatchObject([{ status: 'delivered' }])
})

test('closing the account rejects pending waits', async () => {
  const account = await standingAccount()
  const waiting = account.webhooks.next()
  const refused = expect(waiting).rejects.toThrow('closed')
  await account.close()
  await refused
})
