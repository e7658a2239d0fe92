import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
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
