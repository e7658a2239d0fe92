import { getEventListeners } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ControlClient } from '../../src/client/control-client.ts'

/** A control surface that gives these answers. */
async function surface(answer: RequestListener) {
  const server = createServer(answer)
  server.keepAliveTimeout = 60_000
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const control = new ControlClient({ controlUrl: `${origin}/_paysim`, token: 'secret' })
  onTestFinished(async () => {
    await control.close()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return { control, origin }
}

test('the client retries on a new connection when the server has closed a kept-alive one', async () => {
  const sockets: unknown[] = []
  const { control } = await surface((request, response) => {
    sockets.push(request.socket)
    if (sockets.length === 2) request.socket.destroy()
    else response.end('{"data":[]}')
  })
  await control.merchants.list()
  expect(await control.merchants.list()).toEqual([])
  expect(sockets[1]).toBe(sockets[0])
  expect(sockets[2]).not.toBe(sockets[0])
})

test('a call whose connection breaks is not repeated: it may have been carried out', async () => {
  let calls = 0
  const { control, origin } = await surface(request => {
    calls += 1
    request.socket.destroy()
  })
  await expect(control.merchants.create()).rejects.toMatchObject({
    name: 'ControlUnreachableError',
    message: expect.stringMatching(
      new RegExp(`^${origin} closed the connection .*may have been carried out anyway`),
    ),
  })
  expect(calls).toBe(1)
})

test('the raw answer is available beside the part that is awaited', async () => {
  const text = '{ "data": [ {"id":"shop","name":"Shop","checkout_modes":[],"accounts":[]} ],\n "more": 1e2 }'
  const { control } = await surface((_, response) => {
    response.setHeader('request-id', 'req_1').end(text)
  })
  const call = control.merchants.list()
  expect(await call).toMatchObject([{ id: 'shop' }])
  expect(await call.answer()).toMatchObject({ status: 200, text, requestId: 'req_1', body: { more: 100 } })
})

test('a stream that breaks off throws an error', async () => {
  const { control } = await surface((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: hello\ndata: {"account":"shop.test","seq":0}\n\n', () => request.socket.destroy())
  })
  const seen: string[] = []
  const follow = async () => {
    for await (const { event } of control.account('shop.test').stream()) seen.push(event)
  }
  await expect(follow()).rejects.toMatchObject({ name: 'ControlUnreachableError' })
  expect(seen).toEqual(['hello'])
})

test('a reader that fell behind is told so, and gets what it missed', async () => {
  const asked: (string | string[] | undefined)[] = []
  const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
  const account = 'shop.test'
  const overflow = (seq: number) => event('overflow', { account, seq, message: 'fell behind' })
  const streams = [
    event('hello', { account, seq: 4 }) + overflow(6),
    event('hello', { account, seq: 9, after: 4 }) + event('entry', { seq: 5 }) + overflow(9),
    event('hello', { account, seq: 2, after: 0 }) + event('entry', { seq: 1 }),
  ]
  const { control } = await surface((request, response) => {
    asked.push(request.headers['last-event-id'])
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streams.shift())
  })
  const seen: string[] = []
  for await (const message of control.account(account).stream())
    seen.push(`${message.event} ${'seq' in message.data ? message.data.seq : ''}`)
  expect(asked).toEqual([undefined, '4', '5'])
  // The last history is another one, so it begins with a hello.
  expect(seen).toEqual(['hello 4', 'overflow 6', 'entry 5', 'overflow 9', 'hello 2', 'entry 1'])
})

test('an aborted signal ends the running calls', async () => {
  const leave = new AbortController()
  const server = createServer(() => leave.abort(new Error('enough')))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const address = { controlUrl: `http://127.0.0.1:${port}`, token: 'x' }
  const control = new ControlClient(address, { signal: leave.signal })
  await expect(control.health()).rejects.toThrow('enough')
  server.close()
})

test('a call within the process is given up when its signal aborts, and leaves no listener', async () => {
  const abort = new AbortController()
  const asked: string[] = []
  const answers = [
    Promise.resolve({ status: 200, headers: {}, text: '{"data":[]}' }),
    new Promise<never>(() => {}),
  ]
  const control = new ControlClient(
    { controlUrl: 'http://127.0.0.1:1/_paysim', token: 'secret' },
    {
      signal: abort.signal,
      transport: {
        ask: ({ path }) => answers[asked.push(path) - 1] ?? Promise.resolve(undefined),
        open: () => Promise.reject(new Error('no connection is needed')),
        close: async () => {},
      },
    },
  )
  expect(await control.merchants.list()).toEqual([])
  expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  const waiting = expect(control.merchants.list()).rejects.toThrow('enough')
  await vi.waitUntil(() => asked.length === 2)
  abort.abort(new Error('enough'))
  await waiting
  await expect(control.merchants.list()).rejects.toThrow('enough')
  expect(asked).toEqual(['/_paysim/merchants', '/_paysim/merchants'])
})
