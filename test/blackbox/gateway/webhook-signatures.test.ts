import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, notFound } from '../../support/http/refusals.ts'
import { addPayout, cancelPayout } from '../../support/payments/payouts.ts'
import { type Delivery, listen, openReceiver, settle, subscribe } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

async function cancelOne(account: Account, reason = 'Duplicate') {
  const { id } = await addPayout(account)
  await succeeded(cancelPayout(account, id, { reason }))
  await settle(account)
}

function only(deliveries: Delivery[]): Delivery {
  expect(deliveries).toHaveLength(1)
  const [delivery] = deliveries
  if (!delivery) throw new Error('no delivery')
  return delivery
}

test('a delivery is a JSON POST with the Standard Webhooks headers', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  await cancelOne(account)
  expect(only(receiver.deliveries).headers).toMatchObject({
    'content-type': expect.stringMatching(/^application\/json/),
    'webhook-id': expect.stringMatching(/^[\w-]+$/),
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  })
})

test.each(['plain', '“quotes”, \\ and 😀, ไทย', '</script>\u2028\u0000'])(
  'the standardwebhooks package verifies a delivery with the reason %j',
  async reason => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    await cancelOne(account, reason)
    const { headers, text, event } = only(receiver.deliveries)
    expect(new Webhook(receiver.endpoint.secret).verify(text, headers)).toEqual(event)
    expect(event.data.cancel_reason).toBe(reason)
  },
)

describe('verification fails', () => {
  test('with another secret, body, id or time', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const stranger = await subscribe(account, 'http://127.0.0.1:9/')
    await cancelOne(account)
    const { headers, text } = only(receiver.deliveries)
    const verifier = new Webhook(receiver.endpoint.secret)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    expect(() => new Webhook(stranger.secret).verify(text, headers)).toThrow()
    expect(() => verifier.verify(`${text} `, headers)).toThrow()
    expect(() => verifier.verify(text, { ...headers, 'webhook-id': 'evt_other' })).toThrow()
    expect(() => verifier.verify(text, { ...headers, 'webhook-timestamp': later })).toThrow()
  })
})

test.each(['40d', '3650d'])('signatures use wall time, even on an account %s ahead of it', async ahead => {
  const account = await openAccount(server())
  await account.advance(ahead)
  const receiver = await listen(account)
  await cancelOne(account)
  const { headers, text, event } = only(receiver.deliveries)
  expect(() => new Webhook(receiver.endpoint.secret).verify(text, headers)).not.toThrow()
  expect(event.timestamp).toBe(await account.now())
})

test('all attempts have the same id and body, and each signature verifies', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  receiver.reply(nth => ({ status: nth < 4 ? 500 : 204 }))
  await cancelOne(account)
  await account.advance('1h')
  expect(receiver.deliveries).toHaveLength(4)
  const verifier = new Webhook(receiver.endpoint.secret)
  for (const { headers, text } of receiver.deliveries) verifier.verify(text, headers)
  expect(new Set(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(receiver.deliveries.map(({ text }) => text)).size).toBe(1)
})

test('different events have different ids', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  await cancelOne(account)
  await cancelOne(account)
  expect(new Set(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
  expect(new Set(receiver.deliveries.map(({ event }) => event.id)).size).toBe(2)
})

test('two endpoints get the same event, each signed with its own secret', async () => {
  const account = await openAccount(server())
  const receiver = await openReceiver()
  const endpoints = [
    await subscribe(account, `${receiver.url}/0`),
    await subscribe(account, `${receiver.url}/1`),
  ]
  await cancelOne(account)
  const deliveries = [only(receiver.at('/0')), only(receiver.at('/1'))]
  expect(deliveries[0]?.event).toEqual(deliveries[1]?.event)
  for (const [signer, { secret }] of endpoints.entries()) {
    for (const [index, { text, headers }] of deliveries.entries()) {
      const verify = () => new Webhook(secret).verify(text, headers)
      if (index === signer) expect(verify).not.toThrow()
      else expect(verify).toThrow()
    }
  }
})

describe('a webhook that was received', () => {
  const verdictOn = (account: Account, endpoint: string, body: unknown) =>
    account.control('POST', `/webhook-endpoints/${endpoint}/verify`, { body })
  const faultsIn = ({ body }: { body: Json }) =>
    Object.fromEntries(body.checks.map(({ check, fault }: Json) => [check, fault]))

  test('is checked against the secrets of an endpoint, in the forms in which people copy one', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    await cancelOne(account)
    const { headers, text } = only(receiver.deliveries)
    const lines = Object.entries(headers).map(pair => pair.join(': '))
    const { id } = receiver.endpoint
    for (const body of [
      { headers: lines.join('\n'), body: text },
      { headers: ['POST /hooks HTTP/1.1', ...lines, '', text].join('\r\n') },
      { headers: JSON.stringify(headers), body: text },
      { headers: JSON.stringify({ headers, body: text }) },
    ])
      expect(await verdictOn(account, id, body)).toMatchObject({
        status: 200,
        body: {
          valid: true,
          id: headers['webhook-id'],
          checks: [
            {},
            { check: 'signature', means: 'the body was signed with this secret', fault: null },
            {},
            {},
          ],
        },
      })
    await succeeded(
      account.control('POST', `/webhook-endpoints/${id}/rotate-secret`, { body: { overlap: '1h' } }),
    )
    const webhook = { headers: lines.join('\n'), body: text }
    expect((await verdictOn(account, id, webhook)).body.valid).toBe(true)
    await account.advance('2h')
    expect(faultsIn(await verdictOn(account, id, webhook)).signature).toMatch(
      /does not match the body and the endpoint's secret; it was signed with a secret that this endpoint no longer has$/,
    )
  })

  test('is refused with what is wrong with it, in the words of `webhooks verify`', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    await cancelOne(account)
    const { headers, text } = only(receiver.deliveries)
    const { id, url } = receiver.endpoint
    const check = async (changes: Record<string, string>, body = text, endpoint = id) =>
      faultsIn(
        await verdictOn(account, endpoint, { headers: JSON.stringify({ ...headers, ...changes }), body }),
      )
    expect(await check({}, `${text}\n`)).toMatchObject({
      headers: null,
      signature: expect.stringMatching(
        /: it would match without the line break at the end of the body: check the bytes/,
      ),
    })
    expect((await check({ 'webhook-timestamp': '1' })).timestamp).toMatch(/^the timestamp 1 is stale: it is /)
    expect((await check({ 'webhook-signature': '' })).signature).toMatch(/^the signature {2}does not match/)
    expect(await check({ 'webhook-timestamp': 'noon' })).toEqual({
      headers: 'its webhook-timestamp is noon instead of seconds since 1970',
    })
    const other = await listen(account)
    expect((await check({}, text, other.endpoint.id)).signature).toContain(
      `; it was signed with the secret of ${id}, ${url}`,
    )
    await account.control('PUT', '/faults', { body: { faults: [{ on: 'webhook', type: 'bad_signature' }] } })
    await cancelOne(account)
    const wrong = receiver.deliveries[1]
    expect(
      faultsIn(await verdictOn(account, id, { headers: JSON.stringify(wrong?.headers), body: wrong?.text }))
        .signature,
    ).toContain('; the fault bad_signature signed it')
  })

  test('that cannot be read is told which part is wrong', async () => {
    const account = await openAccount(server())
    const { endpoint } = await listen(account)
    const problems = async (body: unknown) => (await verdictOn(account, endpoint.id, body)).body.error.details
    expect(await problems({ headers: '' })).toEqual([{ field: 'headers', message: 'is empty' }])
    expect(await problems({ headers: '{"webhook-id"' })).toEqual([
      { field: 'headers', message: expect.stringMatching(/^does not contain a JSON object: /) },
    ])
    expect(await problems({ headers: 'webhook-id: evt_1' })).toEqual([
      { field: 'body', message: expect.stringMatching(/^is missing/) },
    ])
    expectRefusal(await verdictOn(account, 'we_nothing', { headers: 'a: b', body: '' }), notFound)
  })
})
