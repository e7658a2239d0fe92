import { STATUS_CODES } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAccount } from '../../support/gateway/merchant.ts'
import type { Server } from '../../support/gateway/server.ts'
import { fileServer, ownServer } from '../../support/gateway/shared-server.ts'
import { startWithContract } from '../../support/gateway/worker-server.ts'
import { basic } from '../../support/http/raw-http.ts'
import { exchange, openSocket, statusOf } from '../../support/http/raw-socket.ts'
import { createPayment, paymentBody } from '../../support/payments/payments.ts'

const server = fileServer()

const HOST = 'Host: localhost\r\n'
const JSON_POST = `POST /payment_intents HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`

const garbage: [string, string | Uint8Array][] = [
  ['bytes of nothing', Uint8Array.from({ length: 256 }, (_, index) => index)],
  [
    'a TLS hello',
    Buffer.from('16030100a5010000a1030352362c1012cf23628256e745e903cea696e9f62a60ba0ae8311d', 'hex'),
  ],
  ['HTTP/2’s preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a request line cut short', 'GET\r\n\r\n'],
  ['an HTTP version of the future', `GET / HTTP/9.9\r\n${HOST}\r\n`],
  ['an unknown method', `FROB /payout_intents HTTP/1.1\r\n${HOST}\r\n`],
  ['headers of 200 kB', `GET / HTTP/1.1\r\n${HOST}X-Long: ${'x'.repeat(200_000)}\r\n\r\n`],
  ['five thousand headers', `GET / HTTP/1.1\r\n${HOST}${'X-Many: 1\r\n'.repeat(5000)}\r\n`],
  ['a URL of 100 kB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`],
  ['a header without colon', `GET / HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`],
  ['a NUL in a header', `GET / HTTP/1.1\r\n${HOST}X-Nul: a\0b\r\n\r\n`],
  ['an invalid length', `${JSON_POST}Content-Length: many\r\n\r\n{}`],
  ['a length below nothing', `${JSON_POST}Content-Length: -1\r\n\r\n{}`],
  ['two lengths', `${JSON_POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  ['length and chunks', `${JSON_POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['an invalid chunk', `${JSON_POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ['an unknown coding', `${JSON_POST}Transfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`],
  ['a broken absolute target', `GET http://[ HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
  ['a tunnel', `CONNECT evil.example:443 HTTP/1.1\r\n${HOST}\r\n`],
  ['an upgrade', `GET / HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
  [
    'a broken escape in the path',
    `GET /payment_intents/%E0%A4%A HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  ],
  ['a NUL in the path', `GET /payment_intents/%00 HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
  ['a climb out of the path', `GET /../../../etc/passwd HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
  ['an escaped climb', `GET /..%2f..%2f..%2fetc%2fpasswd HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
  ['two slashes', `GET //payout_intents HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
  [
    'a wrong expectation',
    `${JSON_POST}Expect: the-unexpected\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
  ],
]

describe('garbage is refused or cut off, never answered with 5xx, and the server keeps running', () => {
  test.each(garbage)('%s', async (_, bytes) => {
    const answer = await exchange(server().url, bytes)
    const status = statusOf(answer)
    if (status !== undefined) {
      expect(status, answer).toBeGreaterThanOrEqual(400)
      expect(status, answer).toBeLessThan(500)
      expect(answer).not.toMatch(/\bat .*:\d+:\d+|root:/)
    }
    expect((await server().control('GET', '/health')).status).toBe(200)
  })
})

describe('what the server itself refuses is answered like everything else', () => {
  const refused: [string, number, string, string][] = [
    ['malformed HTTP', 400, 'validation_failed', `GET / HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`],
    ['no Host', 400, 'validation_failed', 'GET / HTTP/1.1\r\n\r\n'],
    [
      'a head that is too large',
      431,
      'validation_failed',
      `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(200_000)}\r\n\r\n`,
    ],
    [
      'a chunk with a long extension',
      413,
      'payload_too_large',
      `${JSON_POST}AUTHORIZATIONTransfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'an expectation',
      417,
      'validation_failed',
      `${JSON_POST}Expect: miracles\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    ['a tunnel', 405, 'method_not_allowed', `CONNECT 127.0.0.1:443 HTTP/1.1\r\n${HOST}\r\n`],
  ]

  const withKeys = ({ accounts: [keys] }: Server, bytes: string) =>
    bytes.replace('AUTHORIZATION', keys ? `Authorization: ${basic(keys)}\r\n` : '')

  test.each(refused)('%s is %i %s', async (_, status, code, bytes) => {
    const answer = await exchange(server().url, withKeys(server(), bytes))
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} ${STATUS_CODES[status]}\r\n`))
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim()
    expect(header('cache-control')).toBe('no-store')
    expect(JSON.parse(body)).toEqual({
      error: expect.objectContaining({ code, request_id: header('request-id') }),
    })
    expect(header('request-id')).toMatch(/^req_/)
    expect(header('allow')).toEqual(status === 405 ? expect.stringContaining('GET, ') : undefined)
  })

  test('in the form of the contract', async () => {
    const own = await startWithContract({ 'errors.body': 'problem' })
    onTestFinished(() => own.kill())
    for (const [, status, code, bytes] of refused) {
      const answer = await exchange(own.url, withKeys(own, bytes))
      expect(answer).toMatch(/^content-type: application\/problem\+json/im)
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
        type: 'about:blank',
        status,
        code,
      })
    }
  })
})

test('a payment is answered as made, whatever comes behind its request', async () => {
  const account = await openAccount(server())
  const body = JSON.stringify(paymentBody())
  const head = `${JSON_POST}Authorization: ${basic(account.keys)}\r\nTE: trailers\r\nContent-Length: ${Buffer.byteLength(body)}`
  const socket = openSocket(server().url)
  let received = ''
  socket.on('data', chunk => {
    received += chunk
  })
  socket.write(`${head}\r\n\r\n${body}no request\0\r\n\r\n`)
  await new Promise(resolve => socket.once('close', resolve))
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 400'])
})

test('nothing is written into an event stream, whatever its reader sends', async () => {
  const account = await openAccount(server())
  const { pathname } = new URL(server().controlUrl)
  const socket = openSocket(server().url)
  let received = ''
  const greeted = new Promise<void>(resolve =>
    socket.on('data', chunk => {
      received += chunk
      if (received.includes('event: hello')) resolve()
    }),
  )
  socket.write(
    `GET ${pathname}/accounts/${account.id}/stream HTTP/1.1\r\n${HOST}Authorization: Bearer ${server().controlToken}\r\n\r\n`,
  )
  await greeted
  socket.write('no request\0\r\n\r\n')
  await new Promise(resolve => socket.once('close', resolve))
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
})

test.each(['gzip', 'identity', 'br, gzip'])('a body with the Content-Encoding %s is 415', async coding => {
  const account = await openAccount(server())
  const headers = { 'content-type': 'application/json', 'content-encoding': coding }
  const asked = [
    account.call('POST', '/payment_intents', { raw: JSON.stringify(paymentBody()), headers }),
    account.control('PUT', '/import', { raw: '{}', headers }),
    account.control('POST', '/clock/advance', { raw: '{"by":"1s"}', headers }),
  ]
  for (const { status, body } of await Promise.all(asked)) {
    expect(status).toBe(415)
    expect(body.error.code).toBe('unsupported_media_type')
  }
})

test('a client that disconnects in the middle of a request does no harm', async () => {
  const account = await openAccount(server())
  const half = `${JSON_POST}Content-Length: 5000\r\n\r\n{"amount":"25`
  for (let round = 0; round < 50; round++) {
    const socket = openSocket(server().url)
    await new Promise(resolve => socket.write(half.slice(0, 1 + ((round * 7) % half.length)), resolve))
    if (round % 2) socket.resetAndDestroy()
    else socket.destroy()
  }
  await createPayment(account)
})

test('incomplete requests delay neither other requests nor the stop', async () => {
  const own = await ownServer()
  const account = await openAccount(own)
  const stalled = [
    '',
    'GET /payout_int',
    `GET /payout_intents HTTP/1.1\r\n${HOST}`,
    `${JSON_POST}Content-Length: 5000\r\n\r\n{"amount":`,
    `${JSON_POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"am`,
    `POST /payment_intents/pi_1/receipt HTTP/1.1\r\n${HOST}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000\r\n\r\n--x\r\n`,
  ]
  for (let round = 0; round < 20; round++) {
    for (const text of stalled) openSocket(own.url).write(text)
  }
  const payments = await Promise.all(Array.from({ length: 50 }, () => createPayment(account)))
  expect(new Set(payments.map(({ id }) => id)).size).toBe(50)
  expect(await own.stop()).toBe(0)
})

test('pipelined requests are answered in order', async () => {
  const [keys] = server().accounts
  const credentials = Buffer.from(`${keys?.public_key}:${keys?.secret_key}`).toString('base64')
  const get = (path: string, last = false) =>
    `GET ${path} HTTP/1.1\r\n${HOST}Authorization: Basic ${credentials}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`
  const socket = openSocket(server().url)
  let received = ''
  socket.on('data', chunk => {
    received += chunk
  })
  socket.write(
    get('/payout_intents') + get('/payment_intents/pi_none') + get('/payout_intents?limit=0', true),
  )
  await new Promise(resolve => socket.once('close', resolve))
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 400'])
})
