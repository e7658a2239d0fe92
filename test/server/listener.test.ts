import { once } from 'node:events'
import { STATUS_CODES } from 'node:http'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import type { Exchange } from '../../src/server/http/exchange.ts'
import { Listener } from '../../src/server/http/listener.ts'
import { readBody, refuseUnread } from '../../src/server/http/read-body.ts'
import { Reply } from '../../src/server/http/reply.ts'

// What ends a connection: time limits, and bytes that do not make a request.

const HOST = 'Host: localhost\r\n'
/** A field that makes a request one for Node's server. */
const NOT_PLAIN = 'TE: trailers\r\n'
const get = (path: string, field = NOT_PLAIN) => `GET ${path} HTTP/1.1\r\n${HOST}${field}\r\n`
const GARBAGE = 'this is\0no request\r\n\r\n'

/** Long enough that a busy machine reads in time what was sent, and answers accordingly when the time is over. */
const SHORT = { headMs: 1500, requestMs: 3000, importMs: 600_000 }
const LONG = { headMs: 600_000, requestMs: 1_200_000, importMs: 1_200_000 }
/** The time of a body is short, and that of its head is not. */
const SHORT_BODY = { headMs: 600_000, requestMs: 600_300, importMs: 1_200_000 }

function answer(exchange: Exchange, payload: string): void {
  new Reply(exchange).send(payload).end()
}

/** Reads the body, and answers with the target and the body. */
async function echo(exchange: Exchange): Promise<void> {
  answer(exchange, `${exchange.url} ${(await readBody(exchange)).toString()}`)
}

async function listening(
  handle: (exchange: Exchange) => unknown,
  limits = LONG,
  whenFinished: typeof onTestFinished = onTestFinished,
) {
  const refused: (string | undefined)[] = []
  const listener = new Listener(
    exchange => void Promise.resolve(handle(exchange)).catch(() => {}),
    ({ code }, socket) => {
      refused.push(code)
      socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n`)
    },
    limits,
  )
  const port = await listener.listen('127.0.0.1', 0, () => {})
  whenFinished(() => listener.close(() => {}))
  const open = () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8')
    whenFinished(() => void socket.destroy())
    return socket.on('error', () => {})
  }
  return { open, refused }
}

/** All that comes until the other side ends the connection. */
async function untilEnd(socket: Socket): Promise<string> {
  let received = ''
  socket.on('data', text => {
    received += text
  })
  await Promise.race([once(socket, 'end'), once(socket, 'close')])
  return received
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(found => Number(found[1]))

describe('a client that does not send a whole request in time is cut off', () => {
  const post = (length: number, field: string) =>
    `POST / HTTP/1.1\r\n${HOST}${field}Content-Length: ${length}\r\n\r\n`
  // They wait for the limits at the same time.
  test.concurrent.for<[string, string, number[]]>([
    ['nothing', '', []],
    ['an empty line', '\r\n', [400]],
    ['half a line', 'GET /pay', [400]],
    ['half a head', `GET / HTTP/1.1\r\n${HOST}`, [400]],
    ['half a plain body', `${post(10, '')}{"a"`, [400]],
    ['half a body for Node', `${post(10, NOT_PLAIN)}{"a"`, [400]],
    ['a head without its body', post(10, NOT_PLAIN), [400]],
    ['half of its chunks', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a"`, [400]],
    ['half a head after a whole request', `${get('/1')}GET /2`, [200, 400]],
    ['half a body behind a plain request', `${get('/1', '')}${post(10, '')}{"a"`, [200, 400]],
  ])('%s', async ([, bytes, expected], { onTestFinished: whenFinished }) => {
    const { open, refused } = await listening(echo, SHORT, whenFinished)
    const socket = open()
    socket.write(bytes)
    expect(statuses(await untilEnd(socket))).toEqual(expected)
    expect(refused).toEqual(expected.includes(400) ? ['ERR_HTTP_REQUEST_TIMEOUT'] : [])
    // Also if the client never ends its side.
    if (!socket.destroyed) await once(socket.resume().end(), 'close')
  })

  test('the limit is for the whole request, however often a byte comes', async () => {
    const { open, refused } = await listening(echo, SHORT_BODY)
    const socket = open()
    socket.write(`${post(1_000_000, NOT_PLAIN)}`)
    const dripping = setInterval(() => socket.write('x'), 5)
    onTestFinished(() => clearInterval(dripping))
    // After the answer the server closes, and to write on would be an error.
    socket.once('data', () => clearInterval(dripping))
    expect(statuses(await untilEnd(socket))).toEqual([400])
    expect(refused).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  test('nothing comes of what it sends later', async () => {
    let done = 0
    const { open } = await listening(async exchange => {
      await readBody(exchange)
      done++
    }, SHORT_BODY)
    const socket = open()
    socket.write(`${post(4, NOT_PLAIN)}{"a`)
    await once(socket, 'data')
    socket.write('}')
    await untilEnd(socket)
    expect(done).toBe(0)
  })

  test('one that has the time of an import outlasts one that has not', async () => {
    const { open } = await listening(exchange => {
      if (exchange.url === '/import') exchange.allowLong()
      return echo(exchange)
    }, SHORT_BODY)
    const [importing, other] = [open(), open()]
    for (const [socket, path] of [
      [importing, '/import'],
      [other, '/other'],
    ] as const)
      socket.write(`POST ${path} HTTP/1.1\r\n${HOST}${NOT_PLAIN}Content-Length: 2\r\n\r\n{`)
    expect(statuses(await untilEnd(other))).toEqual([400])
    importing.write('}')
    const [text] = await once(importing, 'data')
    expect(text).toContain('/import {}')
  })

  test('an answer that takes longer than the limit is awaited, and so is the next request', async () => {
    let goOn = () => {}
    const { open } = await listening(async exchange => {
      if (exchange.url === '/slow') await new Promise<void>(resolve => (goOn = resolve))
      return echo(exchange)
    }, SHORT)
    const [slow, other] = [open(), open()]
    slow.write(get('/slow'))
    other.write('GET /half')
    await untilEnd(other)
    goOn()
    expect((await once(slow, 'data'))[0]).toContain('200')
    slow.write(get('/2'))
    expect((await once(slow, 'data'))[0]).toContain('/2')
  })
})

test.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'validation_failed'],
  ['HPE_HEADER_OVERFLOW', 431, 'validation_failed'],
  ['HPE_INVALID_METHOD', 400, 'validation_failed'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413, 'payload_too_large'],
  ['CONNECT', 405, 'method_not_allowed'],
])('%s is refused with %i %s', (code, status, error) => {
  const socket = new PassThrough()
  refuseUnread(
    { ...resolveContract({}), 'errors.body': 'flat' },
    'req_1',
    Object.assign(new Error(), { code }),
    socket,
  )
  const [head = '', body = ''] = String(socket.read()).split('\r\n\r\n')
  expect(head).toContain(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nrequest-id: req_1\r\ncache-control: no-store\r\n`,
  )
  expect(JSON.parse(body)).toMatchObject({ code: error, request_id: 'req_1' })
})

test('a client may reset a connection on which it asked for a tunnel', async () => {
  const { open, refused } = await listening(exchange => answer(exchange, 'here'))
  const socket = open()
  socket.write(`CONNECT 127.0.0.1:443 HTTP/1.1\r\n${HOST}\r\n`)
  await once(socket, 'data')
  expect(refused).toEqual(['CONNECT'])
  socket.resetAndDestroy()
  // Had the reset been an error that nobody listens to, this file would fail.
  for (let nth = 0; nth < 20; nth++) {
    const other = open()
    other.write(get('/1'))
    await once(other, 'data')
    other.destroy()
  }
})

describe('malformed bytes behind a request', () => {
  test('its answer comes whole, and then the refusal', async () => {
    const begun: Exchange[] = []
    const { open, refused } = await listening(exchange => begun.push(exchange))
    const socket = open()
    socket.write(get('/1') + GARBAGE)
    await expect.poll(() => begun.length).toBe(1)
    await new Promise(setImmediate)
    expect(refused).toEqual([])
    const [exchange] = begun
    if (exchange) answer(exchange, 'the payment was made')
    const received = await untilEnd(socket)
    expect(statuses(received)).toEqual([200, 400])
    expect(received).toContain('the payment was made')
  })

  test('the answers of all requests before them come, in their order', async () => {
    const begun: Exchange[] = []
    const { open } = await listening(exchange => begun.push(exchange))
    const socket = open()
    socket.write(get('/1') + get('/2') + GARBAGE)
    await expect.poll(() => begun.length).toBe(2)
    for (const exchange of begun.reverse()) answer(exchange, `answer to ${exchange.url}`)
    const received = await untilEnd(socket)
    expect(statuses(received)).toEqual([200, 200, 400])
    expect(received.indexOf('answer to /1')).toBeLessThan(received.indexOf('answer to /2'))
  })

  test.each([
    ['for Node', NOT_PLAIN],
    ['that is plain', ''],
  ])(
    'an answer that is under way to a request %s is cut, and nothing is written into it',
    async (_, field) => {
      const { open, refused } = await listening(exchange => {
        exchange.outgoing.writeHead(200, ['content-type', 'text/plain'])
        exchange.outgoing.write('a part of it')
        if (field === '') setImmediate(() => exchange.outgoing.end())
      })
      const socket = open()
      socket.write(get('/1', field))
      await once(socket, 'data')
      socket.write(GARBAGE)
      const rest = await untilEnd(socket)
      // A plain request is answered first: the connection is read no further meanwhile.
      if (field !== '') expect(refused).toEqual([])
      if (field !== '') expect(rest).toBe('')
      else expect(statuses(rest.slice(rest.indexOf('HTTP')))).toEqual([400])
    },
  )

  test('a request whose answer came before its body gets no second answer', async () => {
    const { open, refused } = await listening(exchange => answer(exchange, 'too large'))
    const socket = open()
    socket.write(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`)
    await once(socket, 'data')
    socket.write('zz\r\n')
    expect(await untilEnd(socket)).toBe('')
    expect(refused).toEqual([])
  })

  test('malformed bytes in its own body are refused at once', async () => {
    const { open } = await listening(echo)
    const socket = open()
    socket.write(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)
    expect(statuses(await untilEnd(socket))).toEqual([400])
  })
})
