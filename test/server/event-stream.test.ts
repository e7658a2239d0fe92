import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type EventStream, EventStreams, MOST_WAITING } from '../../src/server/http/event-stream.ts'
import type { Exchange } from '../../src/server/http/exchange.ts'
import { Listener } from '../../src/server/http/listener.ts'
import { Reply } from '../../src/server/http/reply.ts'
import type { Request } from '../../src/server/http/request.ts'

const LAST_WORDS = 'event: overflow\ndata: {}\n\n'
const EVENT = `data: ${'x'.repeat(1000)}\n\n`

/** A stream, and the client that it goes to, which does not read yet. */
async function streaming(way: 'plain' | 'node') {
  const streams = new EventStreams()
  let begin = (_: EventStream) => {}
  const begun = new Promise<EventStream>(resolve => {
    begin = resolve
  })
  const listener = new Listener(
    (exchange: Exchange) => {
      const request = { requestId: 'req_1' } as Request
      begin(streams.begin(request, new Reply(exchange), { finalText: () => LAST_WORDS }))
    },
    () => {},
  )
  const port = await listener.listen('127.0.0.1', 0, () => {})
  const socket = connect({ port, host: '127.0.0.1' }).pause().setEncoding('utf8')
  onTestFinished(async () => {
    socket.destroy()
    await listener.close(() => {})
  })
  await once(socket, 'connect')
  socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${way === 'node' ? 'TE: trailers\r\n' : ''}\r\n`)
  return { streams, stream: await begun, socket }
}

/** The events that come until the stream ends. */
async function rest(socket: Socket): Promise<string[]> {
  let received = ''
  socket.on('data', text => {
    received += text
  })
  socket.resume()
  while (!received.endsWith('\r\n0\r\n\r\n')) await once(socket, 'data')
  const chunks = received.slice(received.indexOf('\r\n\r\n') + 4).split('\r\n')
  // Sizes and data in turn. A later version of Node writes several events as one chunk.
  const data = chunks.filter((_, at) => at % 2 === 1).join('')
  return data.split(/(?<=\n\n)/)
}

test.each(['plain', 'node'] as const)('a reader that reads gets every event: %s', async way => {
  const { streams, stream, socket } = await streaming(way)
  const count = 6000
  const events = rest(socket)
  for (let nth = 0; nth < count; nth++) {
    stream.send(`data: ${nth} ${'x'.repeat(1000)}\n\n`)
    await stream.drained
  }
  stream.end()
  const numbers = (await events).join('').matchAll(/data: (\d+) /g)
  expect([...numbers].map(([, nth]) => Number(nth))).toEqual(Array.from({ length: count }, (_, nth) => nth))
  expect(streams.counts).toEqual({ open: 0, bytesWaiting: 0, cut: 0 })
})

test.each(['plain', 'node'] as const)(
  'a reader that does not read gets the end, and no more is kept: %s',
  async way => {
    const { streams, stream, socket } = await streaming(way)
    let isOver = false
    stream.onOver(() => {
      isOver = true
    })
    let sent = 0
    while (!isOver) {
      stream.send(EVENT)
      sent++
      expect(streams.counts.bytesWaiting).toBeLessThanOrEqual(MOST_WAITING + 128 * 1024)
      if (sent % 100 === 0) await new Promise(setImmediate)
    }
    expect(streams.counts).toEqual({ open: 0, bytesWaiting: 0, cut: 1 })
    for (let more = 0; more < 100; more++) stream.send(EVENT)
    expect(stream.bytesWaiting).toBeLessThan(128 * 1024)
    const events = await rest(socket)
    expect(events.at(-1)).toBe(LAST_WORDS)
    expect(events.slice(0, -1).every(event => event === EVENT)).toBe(true)
    expect(events.length).toBeLessThanOrEqual(sent)
  },
)

test('one event may be larger than the limit, if its reader takes it', async () => {
  const { streams, stream, socket } = await streaming('node')
  const large = `data: ${'x'.repeat(2 * MOST_WAITING)}\n\n`
  stream.send(EVENT)
  stream.send(large)
  const events = rest(socket)
  await stream.drained
  stream.send(EVENT)
  stream.end()
  expect(await events).toEqual([EVENT, large, EVENT])
  expect(streams.counts.cut).toBe(0)
})

test('who waits for room goes on when the reader has gone', async () => {
  const { streams, stream, socket } = await streaming('node')
  while (!stream.drained) {
    stream.send(EVENT)
    await new Promise(setImmediate)
  }
  socket.destroy()
  await stream.drained
  expect(stream.isOver).toBe(true)
  expect(streams.counts).toEqual({ open: 0, bytesWaiting: 0, cut: 0 })
})
