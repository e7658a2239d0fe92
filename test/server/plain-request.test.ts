import { createServer, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPlainRequest } from '../../src/server/http/plain-connection.ts'

const PLAIN =
  'POST /payment_intents?a=b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nX-Thing: a b\r\n\r\n{}'

/** What Node's server makes of the first request of these bytes; undefined if it refuses it or waits for more. */
async function readByNode(bytes: Buffer) {
  const server = createServer()
  try {
    return await new Promise<{ message: IncomingMessage; body: string } | undefined>(resolve => {
      server.on('clientError', () => resolve(undefined))
      server.on('request', message => {
        let body = ''
        message.setEncoding('latin1')
        message.on('data', text => {
          body += text
        })
        message.once('end', () => resolve({ message, body }))
        message.once('error', () => resolve(undefined))
      })
      const socket = new Duplex({ read() {}, write: (_, __, done) => done() })
      server.emit('connection', socket)
      socket.push(bytes)
      socket.push(null)
      socket.once('close', () => resolve(undefined))
    })
  } finally {
    server.closeAllConnections()
  }
}

const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
const value = fc.stringMatching(/^[ -~\t]{0,20}$/)
const field = fc.tuple(
  fc.oneof(
    token,
    fc.constantFrom('Authorization', 'Content-Type', 'Connection', 'Content-Length', 'Accept', '__proto__'),
  ),
  fc.oneof(value, fc.constantFrom('keep-alive', 'close', '0', '2', '007', 'Basic abc==')),
)
const request = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'get'),
    target: fc.oneof(
      fc.stringMatching(/^\/[!-~]{0,20}$/),
      fc.constantFrom('*', '/a b', '/', 'http://localhost/'),
    ),
    fields: fc.array(field, { maxLength: 5 }),
    hasHost: fc.boolean(),
    length: fc.option(fc.nat(6)),
    body: fc.string({ maxLength: 8 }),
  })
  .map(({ method, target, fields, hasHost, length, body }) => {
    const all = [...(hasHost ? [['Host', 'localhost:7297']] : []), ...fields]
    if (length !== null) all.push(['content-length', String(length)])
    return `${method} ${target} HTTP/1.1\r\n${all.map(([name, text]) => `${name}: ${text}\r\n`).join('')}\r\n${body}`
  })
/** One byte of it changed, removed or added. */
const damaged = fc
  .tuple(fc.oneof(request, fc.constant(PLAIN)), fc.nat(), fc.nat(255), fc.constantFrom(0, 1, 2))
  .map(([text, at, byte, how]) => {
    const bytes = Buffer.from(text, 'latin1')
    const place = at % bytes.length
    const [before, after] = [bytes.subarray(0, place), bytes.subarray(how === 1 ? place : place + 1)]
    return Buffer.concat([before, how === 2 ? Buffer.alloc(0) : Buffer.of(byte), after])
  })

test('what is read as a plain request is what Node reads', async () => {
  let plain = 0
  const bytes = fc.oneof(
    request.map(text => Buffer.from(text, 'latin1')),
    damaged,
  )
  await fc.assert(
    fc.asyncProperty(bytes, async given => {
      const read = readPlainRequest(given)
      if (!read || read === 'unfinished') return
      plain++
      const byNode = await readByNode(given.subarray(0, read.end))
      expect(byNode).toBeDefined()
      const { method, url, headers, rawHeaders } = byNode?.message ?? {}
      expect({ method, url, rawHeaders }).toEqual({
        method: read.method,
        url: read.url,
        rawHeaders: read.header.raw,
      })
      expect(read.header.fields).toEqual(headers)
      expect(given.toString('latin1', read.bodyAt, read.end)).toBe(byNode?.body)
    }),
    { numRuns: 2000 },
  )
  expect(plain).toBeGreaterThan(100)
})

test('a header that was read before gives the same request', () => {
  const first = readPlainRequest(Buffer.from(PLAIN))
  if (!first || first === 'unfinished') throw new Error('it is not plain')
  const again = readPlainRequest(Buffer.from(PLAIN), first.header)
  expect(again).toEqual(first)
  const other = readPlainRequest(Buffer.from(PLAIN.replace('a b', 'a c')), first.header)
  expect(other).toMatchObject({ header: { fields: { 'x-thing': 'a c' } } })
})

test('a body that is not here whole is waited for', () => {
  expect(readPlainRequest(Buffer.from(PLAIN.slice(0, -1)))).toBe('unfinished')
})

describe('is left to Node', () => {
  test.each([
    ['a head that is not whole', PLAIN.slice(0, 60)],
    ['two lengths', PLAIN.replace('X-Thing: a b', 'Content-Length: 2')],
    ['two lengths that differ', PLAIN.replace('X-Thing: a b', 'content-length: 0')],
    ['a length with a sign', PLAIN.replace(': 2', ': +2')],
    ['a length with a tab behind it', PLAIN.replace(': 2', ': 2\t')],
    ['a length in hexadecimal digits', PLAIN.replace(': 2', ': 0x2')],
    ['a length of two numbers', PLAIN.replace(': 2', ': 2, 2')],
    ['a long body', PLAIN.replace(': 2', ': 65537')],
    ['chunks', PLAIN.replace('X-Thing: a b', 'Transfer-Encoding: chunked')],
    [
      'chunks in an obsolete line',
      PLAIN.replace('X-Thing: a b', 'X-Thing: a\r\n Transfer-Encoding: chunked'),
    ],
    ['a space before the colon', PLAIN.replace('Content-Length:', 'Content-Length :')],
    ['a line that ends without CR', PLAIN.replace('localhost\r\n', 'localhost\n')],
    ['a CR within a value', PLAIN.replace('a b', 'a\rb')],
    ['a character outside ASCII', PLAIN.replace('a b', 'a\u00e9b')],
    ['an expectation', PLAIN.replace('X-Thing: a b', 'Expect: 100-continue')],
    ['an upgrade', PLAIN.replace('X-Thing: a b', 'Upgrade: websocket')],
    ['a connection to close', PLAIN.replace('X-Thing: a b', 'Connection: close')],
    ['no host', PLAIN.replace('Host: localhost\r\n', '')],
    ['two hosts', PLAIN.replace('X-Thing: a b', 'Host: localhost')],
    ['two keys', PLAIN.replace('X-Thing: a b', 'Authorization: a\r\nauthorization: b')],
    ['a fragment', PLAIN.replace('?a=b', '#a')],
    ['a whole address', PLAIN.replace('/payment', 'http://localhost/payment')],
    ['an earlier version', PLAIN.replace('1.1', '1.0')],
    ['another method', PLAIN.replace('POST', 'PUT')],
    ['a GET with a body', PLAIN.replace('POST', 'GET')],
    ['an empty line before it', `\r\n${PLAIN}`],
    [
      'more than 64 fields',
      PLAIN.replace('X-Thing: a b', Array.from({ length: 64 }, (_, nth) => `X-${nth}: 1`).join('\r\n')),
    ],
    ['a long head', PLAIN.replace('a b', 'a'.repeat(8192))],
  ])('%s', (_, text) => {
    expect(readPlainRequest(Buffer.from(text, 'latin1'))).toBeUndefined()
  })
})
