import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ArgumentError, createClient, redactHeaders, UnsafeTargetError } from '../../src/client/index.ts'
import { clientFor, ORDER, PAYMENT, PUBLIC_KEY, SECRET_KEY } from '../support/client/client.ts'
import { closedPort, json, nestedError, serve } from '../support/client/server.ts'

const ENCODED = btoa(`${PUBLIC_KEY}:${SECRET_KEY}`)
const liveKeys = { publicKey: 'pk_live_a', secretKey: 'sk_live_b' }
const testKeys = { publicKey: 'pk_test_a', secretKey: 'sk_test_b' }

describe('a live key', () => {
  test.each([
    'http://api.example',
    'http://10.0.0.1:7297',
    'http://localhost.example',
    'http://127.0.0.1.example',
  ])('is not sent unencrypted to %s, but a test key is', baseUrl => {
    expect(() => createClient({ baseUrl, ...liveKeys })).toThrow(UnsafeTargetError)
    expect(() => createClient({ baseUrl, ...testKeys, secretKey: 'sk_live_b' })).toThrow(UnsafeTargetError)
    expect(() => createClient({ baseUrl, ...testKeys })).not.toThrow()
  })

  test.each([
    'https://api.example',
    'http://localhost:7297',
    'http://127.0.0.1',
    'http://[::1]:80',
    'http://LOCALHOST',
    'http://a.localhost',
  ])('may go to %s', baseUrl => {
    expect(() => createClient({ baseUrl, ...liveKeys })).not.toThrow()
  })
})

test.each([
  { publicKey: '', secretKey: 'sk_test_b' },
  { publicKey: 'pk_test_a', secretKey: '' },
  { publicKey: 'pk:test', secretKey: 'sk_test_b' },
])('keys that cannot be sent are refused: %j', keys => {
  expect(() => createClient({ baseUrl: 'https://api.example', ...keys })).toThrow(ArgumentError)
})

/** Everything that somebody might print of a value. */
const printed = (value: unknown): string =>
  [
    inspect(value, { depth: 9 }),
    JSON.stringify(value),
    String(value),
    value instanceof Error ? `${value.message}${value.stack}` : '',
  ].join('\n')

function expectNoSecret(value: unknown): void {
  expect(printed(value)).not.toContain(SECRET_KEY)
  expect(printed(value)).not.toContain(ENCODED)
}

describe('the secret', () => {
  test('is not visible on a client, before or after a call', async () => {
    const server = await serve(response => json(response, PAYMENT))
    const client = clientFor(server.url)
    expectNoSecret(client)
    const call = client.payments.get('pi_1')
    expectNoSecret(call)
    await call
    expectNoSecret(client)
    expectNoSecret(await call.answer())
  })

  test('is not in the records of a request log', async () => {
    const server = await serve((response, _, count) =>
      count < 2 ? response.socket?.destroy() : json(response, PAYMENT),
    )
    const client = clientFor(server.url)
    await client.payments.create(ORDER, { idempotencyKey: 'k' })
    expectNoSecret(client.records)
    expect(client.records).toMatchObject([
      {
        method: 'POST',
        url: `${server.url}/payment_intents`,
        attempt: 1,
        retryInMs: 250,
        headers: { authorization: 'Basic ***', 'idempotency-key': 'k' },
      },
      { attempt: 2, status: 200 },
    ])
    expect(client.records[0]?.problem).toContain('ConnectError')
  })

  const echo = { ...nestedError('unauthorized', `no such key ${SECRET_KEY} (${ENCODED})`) }
  test.each([
    ['an error that repeats it', JSON.stringify(echo)],
    ['a page that repeats it', `<p>Basic ${ENCODED} ${SECRET_KEY}</p>`],
  ])('is not in an error, even for %s', async (_, body) => {
    const server = await serve(response => response.writeHead(401).end(body))
    const error = await Promise.resolve(clientFor(server.url).payments.get('pi_1')).catch(
      (cause: unknown) => cause,
    )
    expect(error).toBeInstanceOf(Error)
    expectNoSecret(error)
    expect(printed(error)).toContain('***')
  })

  test('is not in a connection error', async () => {
    const client = clientFor(`http://127.0.0.1:${await closedPort()}`)
    const error = await Promise.resolve(client.payments.create(ORDER)).catch((cause: unknown) => cause)
    expectNoSecret(error)
    expectNoSecret(client.records)
  })
})

test('headers are shown without credentials', () => {
  const headers = { Authorization: 'Bearer abc', cookie: 'a=b', 'Proxy-Authorization': 'x', accept: 'y' }
  expect(redactHeaders(headers)).toEqual({
    Authorization: 'Bearer ***',
    cookie: '***',
    'Proxy-Authorization': '***',
    accept: 'y',
  })
})
