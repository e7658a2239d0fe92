import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { GatewayProxy } from '../../src/application/gateway-proxy.ts'
import { postWebhook, requestOnce, shortLivedConnections } from '../../src/application/request-once.ts'

const PART = Buffer.alloc(1024 * 1024, 'x')

/** Writes for as long as somebody reads. */
function withoutEnd(_: IncomingMessage, response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(PART));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

async function endless() {
  const server = createServer(withoutEnd).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` }
}

test('an answer without an end is given up at 16 MiB, and its connection with it', async () => {
  const { server, url } = await endless()
  const dispatcher = shortLivedConnections()
  onTestFinished(() => dispatcher.close())
  const closed = new Promise(resolve => server.once('connection', socket => socket.once('close', resolve)))
  const sent = { method: 'GET', headers: {} }
  const { status, lost } = await requestOnce(url, sent, { withinMs: 90_000, dispatcher })
  expect({ status, lost }).toEqual({
    status: 0,
    lost: 'the answer has no end: it is over 16 MiB, and was not read to its end',
  })
  await closed
  const webhook = await postWebhook(url, { headers: {}, body: '{}' }, dispatcher, 90_000)
  expect(webhook).toEqual({ status: 0, answer: lost })
})

test('a call without an end is not passed on', async () => {
  const proxy = await GatewayProxy.open('http://127.0.0.1:1')
  onTestFinished(() => proxy.close())
  const calling = request(`${proxy.url}/payment_intents`, { method: 'POST' })
  calling.on('error', () => {})
  const answered = once(calling, 'response')
  const more = () => {
    while (!calling.destroyed && !calling.writableEnded && calling.write(PART));
    if (!calling.destroyed) calling.once('drain', more)
  }
  more()
  const [response] = await answered
  expect(response.statusCode).toBe(413)
  calling.destroy()
})
