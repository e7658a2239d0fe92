import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { type Exchange, NodeExchange } from '../../src/server/http/exchange.ts'
import { Listener } from '../../src/server/http/listener.ts'
import { Reply } from '../../src/server/http/reply.ts'

const get = (path: string, field = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${field}\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
/** A field that makes a request one for Node's server. */
const NOT_PLAIN = 'TE: trailers\r\n'

const wayOf = (exchange: Exchange) => (exchange instanceof NodeExchange ? 'node' : 'plain')

/** Answers with the way that the request took, and with what was read of it. */
async function echo(exchange: Exchange): Promise<void> {
  let body = exchange.chunks?.whole().toString() ?? ''
  if (!exchange.chunks) for await (const chunk of exchange.incoming) body += chunk
  answer(exchange, `${wayOf(exchange)} ${exchange.method} ${exchange.url} ${body}`)
}

function answer(exchange: Exchange, payload: string | Buffer, status = 200): void {
  new Reply(exchange).code(status).header('content-type', 'text/plain').send(payload).end()
}

/** A listener, and a connection to it. */
async function connected(
  handle: (exchange: Exchange) => void,
  refuse: (error: Error, socket: Socket) => void = () => {},
) {
  const listener = new Listener(handle, (error, socket) => refuse(error, socket as Socket))
  const port = await listener.listen('127.0.0.1', 0, () => {})
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setNoDelay(true)
  onTestFinished(async () => {
    socket.destroy()
    await listener.close(() => {})
  })
  await once(socket, 'connect')
  let received = ''
  socket.setEncoding('utf8').on('data', text => {
    received += text
  })
  const until = async (isEnough: (received: string) => boolean): Promise<string> => {
    while (!isEnough(received)) await once(socket, 'data')
    return received
  }
  const bodies = (count: number): Promise<string[]> =>
    until(text => text.split('HTTP/1.1 ').length > count).then(text =>
      text
        .split('HTTP/1.1 ')
        .slice(1)
        .map(response => response.slice(response.indexOf('\r\n\r\n') + 4)),
    )
  return { listener, socket, until, bodies }
}

test('requests that are sent ahead are answered one after another, in their order', async () => {
  const begun: string[] = []
  const goOn: (() => void)[] = []
  const { socket, bodies } = await connected(exchange => {
    begun.push(exchange.url)
    goOn.push(() => void echo(exchange))
  })
  socket.write(post('/1', '{"a":1}') + get('/2') + post('/3', '{}'))
  for (const path of ['/1', '/2', '/3']) {
    await expect.poll(() => begun.at(-1)).toBe(path)
    goOn.shift()?.()
  }
  expect(await bodies(3)).toEqual(['plain POST /1 {"a":1}', 'plain GET /2 ', 'plain POST /3 {}'])
})

const MIXED = post('/1', 'one') + get('/2') + get('/3', NOT_PLAIN) + post('/4', 'four') + get('/5')
const BY_BOTH = ['plain POST /1 one', 'plain GET /2 ', 'node GET /3 ', 'node POST /4 four', 'node GET /5 ']

test('the first request that is not plain goes to Node, and so do all after it', async () => {
  const { socket, bodies } = await connected(exchange => void echo(exchange))
  socket.write(MIXED)
  expect(await bodies(5)).toEqual(BY_BOTH)
})

test('a request that is not plain while another is answered waits for its turn', async () => {
  const { socket, bodies } = await connected(exchange => setImmediate(() => void echo(exchange)))
  socket.write(MIXED.slice(0, 30))
  await new Promise(setImmediate)
  socket.write(MIXED.slice(30))
  const way = (text: string) => text.replace(/^\w+ /, '')
  expect((await bodies(5)).map(way)).toEqual(BY_BOTH.map(way))
})

test('requests that come byte by byte are read whole', async () => {
  const { socket, bodies } = await connected(exchange => void echo(exchange))
  for (const byte of MIXED) {
    socket.write(byte)
    await new Promise(setImmediate)
  }
  expect((await bodies(5)).map(text => text.replace(/^\w+ /, ''))).toEqual([
    'POST /1 one',
    'GET /2 ',
    'GET /3 ',
    'POST /4 four',
    'GET /5 ',
  ])
})

test('a body that comes after its head is waited for', async () => {
  const { socket, bodies } = await connected(exchange => void echo(exchange))
  const request = post('/1', 'head and body')
  socket.write(request.slice(0, -9))
  await new Promise(setImmediate)
  socket.write(request.slice(-9))
  expect(await bodies(1)).toEqual(['plain POST /1 head and body'])
})

test.each([
  ['text', 'a text'],
  ['text outside ASCII', 'ธนาคารกรุงเทพ'],
  ['nothing', ''],
  ['bytes', Buffer.from('some bytes')],
])('an answer with %s is the same both ways, byte for byte', async (_, payload) => {
  const { socket, until } = await connected(exchange => {
    const reply = new Reply(exchange)
      .code(201)
      .header('content-type', 'text/plain')
      .header('request-id', 'req_1')
    reply.header('retry-after', 3).send(payload).end()
  })
  const responses: string[] = []
  for (const field of ['', NOT_PLAIN]) {
    socket.write(get('/', field))
    const both = await until(text => text.split(String(payload) || '\r\n\r\n').length > responses.length + 1)
    responses.push(both.slice(responses.join('').length))
  }
  const undated = responses.map(text => text.replace(/Date: .{29}\r\n/, 'Date\r\n'))
  expect(undated[0]).toContain('HTTP/1.1 201 Created\r\n')
  expect(undated[0]).toContain('Date\r\nConnection: keep-alive\r\nKeep-Alive: timeout=72\r\n\r\n')
  expect(undated[1]).toBe(undated[0])
})

test('no value of a header can end the header', async () => {
  const errors: unknown[] = []
  const { socket, bodies } = await connected(exchange => {
    try {
      new Reply(exchange).header('x-thing', 'a\r\nx-other: b').send('').end()
    } catch (error) {
      errors.push(error)
      answer(exchange, 'refused')
    }
  })
  socket.write(get('/1'))
  expect(await bodies(1)).toEqual(['refused'])
  expect(errors).toEqual([expect.objectContaining({ code: 'ERR_INVALID_CHAR' })])
})

test('an answer that is a stream is sent as it comes, and the next request is plain again', async () => {
  const { socket, until, bodies } = await connected(exchange => {
    if (exchange.url === '/2') return void echo(exchange)
    exchange.outgoing.writeHead(200, ['content-length', '8'])
    exchange.outgoing.write('half')
    exchange.incoming.once('end', () => exchange.outgoing.end('rest')).resume()
  })
  socket.write(post('/1', '{}'))
  expect((await until(text => text.includes('rest'))).split('\r\n\r\n')[1]).toBe('halfrest')
  socket.write(get('/2'))
  expect(await bodies(2)).toEqual(['halfrest', 'plain GET /2 '])
})

test('a long answer that is a stream waits for its reader, and the next request is plain again', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const { socket, until, bodies } = await connected(exchange => {
    if (exchange.url === '/2') return void echo(exchange)
    const long = Readable.from(Array.from({ length: 16 }, () => chunk))
    new Reply(exchange)
      .header('content-length', 16 * chunk.length)
      .send(long)
      .end()
  })
  socket.write(get('/1'))
  await until(text => text.length > 16 * chunk.length)
  socket.write(get('/2'))
  expect((await bodies(2))[1]).toBe('plain GET /2 ')
})

test('a caller that disconnects is noticed while its answer is awaited', async () => {
  let begin = () => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  let gone = Promise.resolve<unknown>(undefined)
  const { socket } = await connected(exchange => {
    gone = once(exchange.outgoing, 'close')
    begin()
  })
  socket.write(get('/1'))
  await begun
  socket.destroy()
  await gone
})

test('a request that ends before its body is refused', async () => {
  const { socket, until } = await connected(
    () => {},
    (error, refused) => refused.end(`HTTP/1.1 400 ${error.message}\r\n\r\n`),
  )
  socket.end(post('/1', 'half').slice(0, -2))
  expect(await until(text => text.includes('\r\n\r\n'))).toBe(
    'HTTP/1.1 400 The request ended too early\r\n\r\n',
  )
})

test('a long answer waits for a client that does not read, and so does its next request', async () => {
  const long = 'x'.repeat(4 * 1024 * 1024)
  const begun: string[] = []
  const { socket, until } = await connected(exchange => {
    begun.push(exchange.url)
    answer(exchange, long)
  })
  socket.pause()
  socket.write(get('/1') + get('/2'))
  await expect.poll(() => begun).toEqual(['/1'])
  socket.resume()
  await until(text => text.length > 2 * long.length)
  expect(begun).toEqual(['/1', '/2'])
})

test('a stop closes idle connections, and ends others with their answer', async () => {
  let begin = (_: Exchange) => {}
  const begun = new Promise<Exchange>(resolve => {
    begin = resolve
  })
  const { listener, socket, bodies } = await connected(exchange => begin(exchange))
  const idle = connect({ port: Number(socket.remotePort), host: '127.0.0.1' })
  await once(idle, 'connect')
  socket.write(get('/1'))
  const exchange = await begun
  const ended = Promise.all([once(idle, 'close'), once(socket, 'end')])
  const closed = listener.close(() => {})
  await echo(exchange)
  await ended
  socket.end()
  await closed
  expect(await bodies(1)).toEqual(['plain GET /1 '])
})
