import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { basic, exchange, hostOf, pour, stall } from '../../support/http/raw-http.ts'
import { discovering, hosted } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const NEVER = `pi_${'0'.repeat(24)}`
const head = (line: string, ...more: string[]) => [
  `${line} HTTP/1.1`,
  `Host: ${hostOf(server().url)}`,
  `Authorization: ${basic(account.keys)}`,
  ...more,
]

async function expectAlive() {
  expect((await account.payHosted()).status).toBe('pending')
}

describe('a method that the path does not support: 405 with Allow', () => {
  test.each([
    ['/payment_intents', ['GET', 'PUT', 'PATCH', 'DELETE'], 'POST'],
    ['/payment_methods/options', ['POST', 'PUT', 'PATCH', 'DELETE'], 'GET'],
    [`/payment_intents/${NEVER}`, ['POST', 'PUT', 'PATCH', 'DELETE'], 'GET'],
    [`/payment_intents/${NEVER}/cancel-pending`, ['GET', 'PUT', 'PATCH', 'DELETE'], 'POST'],
    [`/payment_intents/${NEVER}/receipt`, ['GET', 'PUT', 'PATCH', 'DELETE'], 'POST'],
  ])('%s', async (path, methods, allowed) => {
    for (const method of methods) {
      const answer = await account.call(method, path)
      expectError(answer, 405, 'method_not_allowed')
      expect(answer.headers.get('allow')?.split(/,\s*/)).toContain(allowed)
      expect(answer.headers.get('allow')?.split(/,\s*/)).not.toContain(method)
    }
  })

  test('also with a body that is not JSON', async () => {
    const options = { raw: '{', headers: { 'content-type': 'application/json' } }
    expectError(await account.call('PUT', '/payment_intents', options), 405, 'method_not_allowed')
  })
})

describe('an unknown path: 404', () => {
  test.each([
    ['GET', '/nowhere'],
    ['POST', '/payment_intent'],
    ['POST', '/Payment_Intents'],
    ['GET', '/payment_methods'],
    ['GET', '/payment_methods/options/th'],
    ['GET', `/payment_intents/${NEVER}/receipt/1`],
    ['GET', `/payment_intents/${NEVER}/nothing`],
    ['POST', `/payment_intents/${NEVER}/cancel`],
    ['DELETE', '/nowhere'],
    ['GET', '/v1/payment_intents'],
    ['GET', '/__proto__'],
    ['GET', '/constructor'],
    ['GET', '/%2e%2e/etc/passwd'],
  ])('%s %s', async (method, path) => {
    expectError(await account.call(method, path), 404, 'not_found')
  })
})

describe('creation requires JSON', () => {
  test.each([
    ['no content type', undefined],
    ['text', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['multipart', 'multipart/form-data; boundary=x'],
    ['something else of JSON', 'application/merge-patch+json'],
    ['nonsense', ';;;'],
    ['a type without a subtype', 'application/'],
    ['a subtype without a type', '/json'],
    ['a space in the type', 'a b/json'],
  ])('%s: 415', async (_, type) => {
    const raw = new Uint8Array(Buffer.from(JSON.stringify(hosted())))
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    const answer = await account.call('POST', '/payment_intents', { raw, headers })
    expectError(answer, 415, 'unsupported_media_type')
  })

  test.each([
    'application/json;charset=UTF-8',
    'application/json; charset=utf-8; foo="bar"',
    'APPLICATION/JSON ; version=1;profile="a;b"',
    'application/json;',
  ])('parameters are accepted: %s', async type => {
    const answer = await account.call('POST', '/payment_intents', {
      raw: JSON.stringify(hosted()),
      headers: { 'content-type': type },
    })
    expect(answer.status).toBe(201)
  })
})

describe('a large body: 413, and the connection is not held', () => {
  const MIB = 1024 * 1024

  test.each([9, 100])('%i MiB of JSON', async size => {
    const line = head('POST /payment_intents', 'Content-Type: application/json')
    expect((await pour(server().url, line, size * MIB)).status).toBe(413)
    await expectAlive()
  })

  test.each([9, 100])('%i MiB for cancel-pending', async size => {
    const line = head(`POST /payment_intents/${NEVER}/cancel-pending`, 'Content-Type: application/json')
    expect((await pour(server().url, line, size * MIB)).status).toBe(413)
    await expectAlive()
  })

  test('100 MiB of multipart', async () => {
    const line = head(
      `POST /payment_intents/${NEVER}/receipt`,
      'Content-Type: multipart/form-data; boundary=aa',
      'Idempotency-Key: large',
    )
    expect((await pour(server().url, line, 100 * MIB)).status).toBe(413)
    await expectAlive()
  })

  test('many at once do not stop other requests', async () => {
    const line = head('POST /payment_intents', 'Content-Type: application/json')
    const large = Array.from({ length: 8 }, () => pour(server().url, line, 30 * MIB))
    await expectAlive()
    for (const answer of await Promise.all(large)) expect(answer.status).toBe(413)
  })
})

describe('headers given twice do not cause a server error', () => {
  const body = JSON.stringify(hosted())
  const whole = (...more: string[]) =>
    head(
      'POST /payment_intents',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...more,
    )

  test.each([
    ['Idempotency-Key', ['Idempotency-Key: a', 'Idempotency-Key: b']],
    ['Content-Type', ['Content-Type: text/plain']],
    ['Authorization', ['Authorization: Basic x']],
    ['Host', ['Host: elsewhere.example']],
    ['Content-Length', ['Content-Length: 5']],
    ['Content-Length and Transfer-Encoding', ['Transfer-Encoding: chunked']],
  ])('%s', async (_, more) => {
    const answer = await exchange(server().url, whole(...more), body)
    expect([201, 400, 401, 415]).toContain(answer.status)
    await expectAlive()
  })
})

describe('invalid HTTP gets an error or is cut off, and the gateway continues', () => {
  test.each([
    ['a malformed Host', ['GET /payment_intents/x HTTP/1.1', 'Host: [::::']],
    ['a Host of signs', ['GET /payment_intents/x HTTP/1.1', 'Host: a b<>"']],
    ['an empty Host', ['GET /payment_intents/x HTTP/1.1', 'Host:']],
    ['no Host', ['GET /payment_intents/x HTTP/1.1']],
    ['an absolute target', ['GET http://[:::/x HTTP/1.1', 'Host: localhost']],
    ['a target that is not a path', ['GET nowhere HTTP/1.1', 'Host: localhost']],
    ['two slashes', ['GET //payment_intents HTTP/1.1', 'Host: localhost']],
    ['an asterisk', ['OPTIONS * HTTP/1.1', 'Host: localhost']],
    ['CONNECT', ['CONNECT x:1 HTTP/1.1', 'Host: localhost']],
    ['an upgrade', ['GET / HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket']],
    ['a header of 100,000 bytes', ['GET / HTTP/1.1', 'Host: localhost', `X-Large: ${'x'.repeat(100_000)}`]],
    ['a thousand headers', ['GET / HTTP/1.1', 'Host: localhost', ...Array(1000).fill('X-Many: 1')]],
    ['no HTTP at all', ['hello']],
  ])('%s', async (_, lines) => {
    const answer = await exchange(server().url, lines).catch(() => undefined)
    expect(answer?.status ?? 0).not.toBe(500)
    await expectAlive()
  })

  test('bodies that never arrive do not delay other requests', async () => {
    const line = head('POST /payment_intents', 'Content-Type: application/json')
    const silent = Array.from({ length: 50 }, () => stall(server().url, line))
    await expectAlive()
    expect((await account.call('GET', discovering())).status).toBe(200)
    for (const socket of silent) socket.destroy()
    await expectAlive()
  })
})
