import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectCleanAnswer, expectError, withoutIdentity } from '../../support/http/answers.ts'
import { basic, exchange, hostOf } from '../../support/http/raw-http.ts'
import { discovering, paying } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account
let other: Account
let live: Account

beforeAll(async () => {
  const merchant = await openMerchant(server())
  account = merchant.test
  live = merchant.live
  other = await openAccount(server())
})

/** Sends exactly this Authorization header, or none. */
async function ask(authorization: string | undefined, path = '/payment_intents/pi_none'): Promise<Answer> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  return expectCleanAnswer(await server().call('GET', path, { anonymous: true, headers }))
}

const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

describe('credentials', () => {
  test('the public key as user name and the secret key as password are accepted', async () => {
    expectError(await ask(basic(account.keys)), 404, 'not_found')
  })

  test('public keys start with pk_<environment>_ and secret keys with sk_<environment>_', () => {
    expect(account.keys.public_key).toMatch(/^pk_test_\S/)
    expect(account.keys.secret_key).toMatch(/^sk_test_\S/)
    expect(live.keys.public_key).toMatch(/^pk_live_\S/)
    expect(live.keys.secret_key).toMatch(/^sk_live_\S/)
  })

  const refused: [string, () => string | undefined][] = [
    ['no header', () => undefined],
    ['an empty header', () => ''],
    ['the scheme alone', () => 'Basic'],
    ['an empty credential', () => 'Basic '],
    ['no base64', () => 'Basic !!!%%%'],
    ['base64 without a colon', () => encoded(account.keys.public_key)],
    ['keys that are not encoded', () => `Basic ${account.keys.public_key}:${account.keys.secret_key}`],
    ['keys without a scheme', () => basic(account.keys).slice('Basic '.length)],
    ['another scheme', () => basic(account.keys).replace('Basic', 'Bearer')],
    ['an unknown key', () => encoded(`pk_test_doesnotexist:${account.keys.secret_key}`)],
    ['a wrong secret', () => encoded(`${account.keys.public_key}:sk_test_wrong`)],
    ['an empty secret', () => encoded(`${account.keys.public_key}:`)],
    ['an empty key', () => encoded(`:${account.keys.secret_key}`)],
    ['the keys swapped', () => encoded(`${account.keys.secret_key}:${account.keys.public_key}`)],
    [
      'the secret cut short',
      () => encoded(`${account.keys.public_key}:${account.keys.secret_key.slice(0, -1)}`),
    ],
    ['something after the secret', () => encoded(`${account.keys.public_key}:${account.keys.secret_key}x`)],
    ['the secret of another merchant', () => encoded(`${account.keys.public_key}:${other.keys.secret_key}`)],
    [
      'the secret of the other environment',
      () => encoded(`${account.keys.public_key}:${live.keys.secret_key}`),
    ],
    ['a member of every object as key', () => encoded('__proto__:constructor')],
    ['bytes that are not text', () => `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`],
  ]

  test.each(refused)('%s: 401 unauthorized', async (_, authorization) => {
    const answer = await ask(authorization())
    expectError(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="paysim"')
  })

  test('every refusal has the same answer, apart from the request id', async () => {
    const answers = await Promise.all(refused.map(async ([, authorization]) => ask(authorization())))
    const distinct = new Set(answers.map(answer => JSON.stringify(withoutIdentity(answer))))
    expect([...distinct]).toHaveLength(1)
  })

  test('each request has a unique id', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await ask(undefined)).headers.get('request-id')))
    expect(new Set(ids).size).toBe(3)
  })

  test.each([
    ['GET', discovering()],
    ['POST', '/payment_intents'],
    ['GET', '/payment_intents/pi_none'],
    ['POST', '/payment_intents/pi_none/cancel-pending'],
    ['POST', '/payment_intents/pi_none/receipt'],
  ])('%s %s requires credentials', async (method, path) => {
    const answer = expectCleanAnswer(await server().call(method, path, { anonymous: true }))
    expectError(answer, 401, 'unauthorized')
  })

  test('a wrong header beside a right one does not cause a server error', async () => {
    const right = `Authorization: ${basic(account.keys)}`
    const wrong = `Authorization: ${encoded('pk_test_x:sk_test_x')}`
    for (const headers of [
      [right, wrong],
      [wrong, right],
    ]) {
      const head = ['GET /payment_intents/pi_none HTTP/1.1', `Host: ${hostOf(server().url)}`, ...headers]
      expect([400, 401, 404]).toContain((await exchange(server().url, head)).status)
    }
  })
})

describe('key pairs', () => {
  test('a second pair works beside the first, and mixed halves are refused', async () => {
    const second = await account.control('POST', '/keys', { body: {} })
    expect(second.status).toBe(201)
    const made = await account.pay('probe_transfer')
    const path = `/payment_intents/${made.id}`
    expect((await ask(basic(second.body), path)).status).toBe(200)
    expect((await ask(basic(account.keys), path)).status).toBe(200)
    expectError(
      await ask(encoded(`${account.keys.public_key}:${second.body.secret_key}`), path),
      401,
      'unauthorized',
    )
    expectError(
      await ask(encoded(`${second.body.public_key}:${account.keys.secret_key}`), path),
      401,
      'unauthorized',
    )
  })

  test('a revoked pair is refused at once like an unknown one, and other pairs still work', async () => {
    const revoked = (await account.control('POST', '/keys', { body: {} })).body
    expect((await ask(basic(revoked))).status).toBe(404)
    const removed = await account.control('DELETE', `/keys/${revoked.public_key}`)
    expect(removed.status).toBeLessThan(300)
    const answer = await ask(basic(revoked))
    expectError(answer, 401, 'unauthorized')
    expect(withoutIdentity(answer)).toEqual(withoutIdentity(await ask(encoded('pk_test_never:sk_test_was'))))
    expect((await ask(basic(account.keys))).status).toBe(404)
  })
})

describe('the key fixes the environment', () => {
  test('a record of one environment does not exist in the other', async () => {
    const made = await account.pay('probe_transfer')
    expect(made.environment).toBe('test')
    expectError(await live.call('GET', `/payment_intents/${made.id}`), 404, 'not_found')
    const alive = await live.pay('probe_transfer')
    expect(alive.environment).toBe('live')
    expectError(await account.call('GET', `/payment_intents/${alive.id}`), 404, 'not_found')
  })

  test('nothing in the body overrides it', async () => {
    const made = await account.pay('probe_transfer', { environment: 'live' })
    expect(made.environment).toBe('test')
    expectError(await live.call('GET', `/payment_intents/${made.id}`), 404, 'not_found')
  })

  test('nothing in the query or in a header overrides it', async () => {
    const found = await account.call('GET', `${discovering()}&environment=live`, {
      headers: { environment: 'live', 'x-environment': 'live' },
    })
    expect(found.body.environment).toBe('test')
    const made = await account.call('POST', '/payment_intents?environment=live', {
      body: paying('probe_transfer'),
    })
    expect(made.body.environment).toBe('test')
  })
})
