import { describe, expect, test } from 'vitest'
import { openAccount } from '../../support/gateway/merchant.ts'
import { fileServer, ownServer } from '../../support/gateway/shared-server.ts'
import { exchange, openSocket, statusOf } from '../../support/http/raw-socket.ts'
import { createPayment } from '../../support/payments/payments.ts'

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
