import { describe, expect, test } from 'vitest'
import { type Account, openAccount, openMerchant, rows, succeeded } from '../../support/gateway/merchant.ts'
import { serveUntilExit } from '../../support/gateway/serve-process.ts'
import { ownServer, sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalid, notFound } from '../../support/http/refusals.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { addPayout, cancelPayout, movePayout } from '../../support/payments/payouts.ts'
import { listen, openReceiver, settle, subscribe } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

const register = (account: Account, body: unknown) => account.control('POST', '/webhook-endpoints', { body })

async function cancelOne(account: Account) {
  const { id } = await addPayout(account)
  await succeeded(cancelPayout(account, id))
  await settle(account)
}

describe('registering an endpoint', () => {
  test('returns its id, url, events and a Standard Webhooks secret', async () => {
    const account = await openAccount(server())
    const body = { url: 'http://127.0.0.1:9/hook', events: ['payout.cancelled', 'payout.failed'] }
    const answer = await register(account, body)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ ...body, id: expect.any(String) })
    expect(answer.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
    const keyLength = Buffer.from(answer.body.secret.slice(6), 'base64').length
    expect(keyLength).toBeGreaterThanOrEqual(24)
    expect(keyLength).toBeLessThanOrEqual(64)
  })

  test('without events returns null, which stands for the events that are on by default', async () => {
    const account = await openAccount(server())
    const { events } = await succeeded(register(account, { url: 'http://localhost:9/hook' }))
    expect(events).toBeNull()
  })

  test('gives each endpoint its own id and secret', async () => {
    const account = await openAccount(server())
    const [one, other] = [
      await subscribe(account, 'http://[::1]:9/'),
      await subscribe(account, 'http://[::1]:9/'),
    ]
    expect(one.id).not.toBe(other.id)
    expect(one.secret).not.toBe(other.secret)
    expect((await rows(account.control('GET', '/webhook-endpoints'))).map(({ id }) => id).sort()).toEqual(
      [one.id, other.id].sort(),
    )
  })

  test.each<[string, unknown]>([
    ['no url', {}],
    ['an invalid url', { url: 'hook' }],
    ['a url that is a number', { url: 5 }],
    ['a file url', { url: 'file:///etc/passwd' }],
    ['an ftp url', { url: 'ftp://127.0.0.1/hook' }],
    ['a javascript url', { url: 'javascript:alert(1)' }],
    ['an unknown event', { url: 'http://127.0.0.1:9/', events: ['payment.exploded'] }],
    ['events that are not a list', { url: 'http://127.0.0.1:9/', events: 'payment.succeeded' }],
  ])('%s is refused', async (_, body) => {
    const account = await openAccount(server())
    expectRefusal(await register(account, body), invalid())
    expect(await rows(account.control('GET', '/webhook-endpoints'))).toEqual([])
  })
})

describe('a given secret', () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 0xff).toString('base64')}`

  test.each([24, 25, 26, 62, 63, 64])('of %i bytes is taken', async bytes => {
    const account = await openAccount(server())
    const secret = secretOf(bytes)
    expect((await succeeded(register(account, { url: 'http://127.0.0.1:9/', secret }))).secret).toBe(secret)
  })

  test.each<[string, string]>([
    ['of 23 bytes', secretOf(23)],
    ['of 65 bytes', secretOf(65)],
    ['of 66 bytes', secretOf(66)],
    ['of a length that no bytes have', `whsec_${'A'.repeat(33)}`],
    ['without its padding', secretOf(25).replace('==', '')],
    ['with too much padding', `whsec_${'A'.repeat(32)}==`],
    ['with bits that no byte uses', `whsec_${'A'.repeat(33)}B==`],
    ['with a letter of another alphabet', secretOf(24).replace('/', '_')],
    ['with a line break at its end', `${secretOf(24)}\n`],
  ])('%s is refused', async (_, secret) => {
    const account = await openAccount(server())
    const refused = await register(account, { url: 'http://127.0.0.1:9/', secret })
    expectRefusal(refused, invalid('secret'))
    expect(await rows(account.control('GET', '/webhook-endpoints'))).toEqual([])
  })
})

describe('without --allow-webhooks only loopback URLs are allowed', () => {
  test.each([
    'https://hooks.example.com/x',
    'http://10.0.0.1/hook',
    'http://192.168.1.10/hook',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0:9/hook',
    'http://127.0.0.1.example.com/hook',
    'http://localhost.example.com/hook',
    'http://127.0.0.1@example.com/hook',
    'http://[2001:db8::1]/hook',
  ])('%s is refused', async url => {
    const account = await openAccount(server())
    expectRefusal(await register(account, { url }), invalid('url'))
    expect(await rows(account.control('GET', '/webhook-endpoints'))).toEqual([])
  })

  test.each(['http://127.0.0.1:9/a', 'http://localhost:9/b', 'http://[::1]:9/c', 'https://127.0.0.1:9/d'])(
    '%s is accepted',
    async url => {
      const account = await openAccount(server())
      expect(await subscribe(account, url)).toMatchObject({ url })
    },
  )

  test('the rule also applies to the webhooks of a new merchant', async () => {
    const body = { id: 'far-hooks', webhooks: [{ url: 'https://hooks.example.com/x' }] }
    expectRefusal(await server().control('POST', '/merchants', { body }), invalid())
    expectRefusal(await server().control('GET', '/merchants/far-hooks'), notFound)
  })

  test('a redirect is not followed', async () => {
    const account = await openAccount(server())
    const [near, other] = [await listen(account), await openReceiver()]
    near.reply(() => ({ status: 307, headers: { location: `${other.url}/elsewhere` } }))
    await cancelOne(account)
    expect(near.deliveries).toHaveLength(1)
    expect(other.deliveries).toEqual([])
  })
})

test('--allow-webhooks allows the named host and no other', async () => {
  const own = await ownServer({ args: ['--allow-webhooks', 'hooks.example.com'] })
  const account = await openAccount(own)
  expect((await register(account, { url: 'https://hooks.example.com/x' })).status).toBe(201)
  for (const url of [
    'https://evil.example.com/',
    'https://hooks.example.com.evil.example/',
    'http://10.0.0.1/',
  ]) {
    expectRefusal(await register(account, { url }), invalid('url'))
  }
})

test('an imported endpoint must match the allowed hosts of the importing server', async () => {
  const free = await openAccount(await ownServer({ args: ['--allow-webhooks', '10.0.0.0/8'] }))
  const there = await openAccount(server())
  await subscribe(free, 'http://10.255.255.1:9/hook')
  await succeeded(there.control('PUT', '/import', { body: await succeeded(free.control('GET', '/export')) }))
  await cancelOne(there)
  const [delivery] = await rows(there.control('GET', '/webhook-deliveries'))
  expect(JSON.stringify(delivery)).toContain('points to 10.255.255.1, which is not this machine')
})

test('the start fails and names an invalid --allow-webhooks host', async () => {
  const started = await serveUntilExit([
    '--ephemeral',
    '--port',
    '0',
    '--allow-webhooks',
    'http://hooks.example.com/x',
  ])
  expect(started).toMatchObject({ code: 2, stderr: expect.stringContaining('http://hooks.example.com/x') })
})

describe('removing an endpoint', () => {
  test('stops everything, even retries of earlier events', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ status: 500 }))
    await cancelOne(account)
    expect(receiver.deliveries).toHaveLength(1)
    const removed = await account.control('DELETE', `/webhook-endpoints/${receiver.endpoint.id}`)
    expect([200, 204]).toContain(removed.status)
    await cancelOne(account)
    await account.advance('10d')
    expect(receiver.deliveries).toHaveLength(1)
    expect(await rows(account.control('GET', '/webhook-endpoints'))).toEqual([])
    expectRefusal(await account.control('DELETE', `/webhook-endpoints/${receiver.endpoint.id}`), notFound)
  })

  test('does not affect the others', async () => {
    const account = await openAccount(server())
    const [gone, kept] = [await listen(account), await listen(account)]
    await succeeded(account.control('DELETE', `/webhook-endpoints/${gone.endpoint.id}`))
    await cancelOne(account)
    expect([gone.deliveries.length, kept.deliveries.length]).toEqual([0, 1])
  })

  test('from another account is 404', async () => {
    const merchant = await openMerchant(server())
    const { endpoint } = await listen(merchant.test)
    expectRefusal(await merchant.live.control('DELETE', `/webhook-endpoints/${endpoint.id}`), notFound)
    expect(await rows(merchant.test.control('GET', '/webhook-endpoints'))).toHaveLength(1)
  })
})

describe('an endpoint gets', () => {
  const everything = async (account: Account) => {
    const moved = async (...moves: string[]) => {
      const { id } = await createPayment(account)
      for (const name of moves) await succeeded(account.trigger(id, name))
    }
    await moved('withdraw-action', 'succeed')
    await moved('fail')
    await moved('expire')
    const { id: unwanted } = await createPayment(account)
    await succeeded(account.cancel(unwanted))
    await succeeded(account.trigger(unwanted, 'confirm-cancel'))
    for (const end of ['succeed', 'fail'] as const) {
      const { id } = await addPayout(account)
      await succeeded(movePayout(account, id, 'approve'))
      await succeeded(movePayout(account, id, end))
    }
    await succeeded(cancelPayout(account, (await addPayout(account)).id))
    await settle(account)
  }
  const types = (deliveries: { event: { type: string } }[]) =>
    [...new Set(deliveries.map(({ event }) => event.type))].sort()

  test('by default every terminal event, and neither created nor updated', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    await everything(account)
    expect(types(receiver.deliveries)).toEqual([
      'payment.cancelled',
      'payment.expired',
      'payment.failed',
      'payment.succeeded',
      'payout.cancelled',
      'payout.failed',
      'payout.succeeded',
    ])
  })

  test.each([
    [['payment.succeeded']],
    [['payout.succeeded', 'payout.cancelled']],
    [['payment.created']],
    [['payment.updated']],
    [['payout.updated']],
    [['payment.created', 'payment.failed', 'payout.updated']],
  ])('exactly the events it asks for: %j', async events => {
    const account = await openAccount(server())
    const receiver = await listen(account, events)
    await everything(account)
    expect(types(receiver.deliveries)).toEqual([...events].sort())
  })

  test('payment.created once per payment, with the payment as created', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account, ['payment.created'])
    const payment = await createPayment(account)
    await settle(account)
    expect(receiver.deliveries.map(({ event }) => event.data)).toEqual([payment])
  })

  test('only the events of its own account', async () => {
    const merchant = await openMerchant(server())
    const [mine, others] = [await listen(merchant.test), await listen(merchant.live)]
    await cancelOne(merchant.test)
    expect([mine.deliveries.length, others.deliveries.length]).toEqual([1, 0])
  })
})
