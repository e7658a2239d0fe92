import { createServer as createNetServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ControlClient, ControlUnreachableError } from '../../src/client/control-client.ts'
import { NotJsonError, TimeoutError } from '../../src/client/index.ts'
import { WebhookReceiver } from '../../src/library/webhook-receiver.ts'
import { clientFor, PAYMENT, refusal } from '../support/client/client.ts'
import { json, listen, serve } from '../support/client/server.ts'

// A server may send without an end, slowly for ever, or JSON as deep as a tower: no client may take it all.

/** The type of an answer is the right one: only the rest of it is not. */
const headFor = (request: Buffer) => {
  const path = request.toString('latin1')
  const type = path.includes('/images/')
    ? 'image/png'
    : path.includes('/stream')
      ? 'text/event-stream'
      : 'application/json'
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n`
}
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n'
const MEBIBYTE = 1024 * 1024

async function speaking(speak: (socket: Socket, head: string) => void): Promise<string> {
  const server = createNetServer(socket => {
    socket.on('error', () => {})
    socket.once('data', request => speak(socket, headFor(request)))
  })
  return `http://127.0.0.1:${await listen(server)}`
}

/** Sends the piece again and again, as fast as it is taken. */
function pour(socket: Socket, piece: string): void {
  while (!socket.destroyed && socket.write(piece));
  if (!socket.destroyed) socket.once('drain', () => pour(socket, piece))
}

const drip = (piece: string) => (socket: Socket) => {
  const dripping = setInterval(() => socket.write(piece), 5)
  socket.once('close', () => clearInterval(dripping))
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const endless = (piece: string) => (socket: Socket, head: string) => {
  socket.write(head + CHUNKED)
  pour(socket, chunk(piece))
}
const dripping = (socket: Socket, head: string) => {
  // The beginning is that of an archive, which is looked at as soon as enough of it is there.
  socket.write(head + CHUNKED + chunk('{"paysim":1,'))
  drip(chunk(' '))(socket)
}
const drippingHeaders = (socket: Socket, head: string) => {
  socket.write(head)
  drip('x-a: b\r\n')(socket)
}
const silent = () => {}

/** The time is up only in tests of the time: a busy machine takes long for a mebibyte. */
function control(url: string, ms = 600_000): ControlClient {
  const limits = { bytes: 2 * MEBIBYTE, ms }
  const client = new ControlClient({ controlUrl: `${url}/_paysim`, token: 'secret' }, { limits })
  onTestFinished(() => client.close())
  return client
}

const whole = async (stream: AsyncIterable<unknown>) => {
  let pieces = 0
  for await (const _ of stream) pieces++
  return pieces
}

describe('a control client', () => {
  const SPACES = `{"paysim":1,${' '.repeat(MEBIBYTE)}`
  test.each([
    ['an endless answer', endless(SPACES), 'more than 2 MiB', undefined],
    // Long enough for the headers on a busy machine.
    ['an answer that drips', dripping, 'did not answer in full within 2s', 2000],
    ['headers that drip', drippingHeaders, 'did not answer within 200ms', 200],
    ['no answer', silent, 'did not answer within 200ms', 200],
  ])('gives up on %s, for a call and for an archive', async (_, speak, message, ms) => {
    const client = control(await speaking(speak), ms)
    const account = client.account('shop.test')
    const calls = [client.merchants.list(), client.merchants.create(), account.image('a')]
    const archive = account.exportStream().then(whole)
    const refused = [...calls, archive].map(call => refusal(call, ControlUnreachableError))
    for (const { message: said } of await Promise.all(refused)) expect(said).toContain(message)
  })

  test('gives up on an endless line and on an endless event of a stream', async () => {
    for (const piece of [SPACES, `data: ${SPACES}\n`]) {
      const client = control(await speaking(endless(piece)))
      const error = await refusal(whole(client.account('shop.test').stream()), ControlUnreachableError)
      expect(error.message).toContain('endless')
    }
  })

  test('reads a stream whose lines arrive in pieces', async () => {
    const text = `event: entry\ndata: {"seq":1,"text":"ก\u2028"}\n\nevent: request\ndata: {"path":"/"}\n\n`
    const url = await speaking((socket, head) => {
      socket.write(`${head}\r\n`)
      for (const byte of Buffer.from(text)) socket.write(Buffer.of(byte))
      socket.end()
    })
    const events: unknown[] = []
    for await (const event of control(url).account('shop.test').stream()) events.push(event)
    expect(events).toEqual([
      { event: 'entry', data: { seq: 1, text: 'ก\u2028' } },
      { event: 'request', data: { path: '/' } },
    ])
  })

  test('rejects JSON that is nested too deeply', async () => {
    const server = await serve(response => response.end(`${'['.repeat(5000)}${']'.repeat(5000)}`))
    const error = await refusal(control(server.url).merchants.list(), ControlUnreachableError)
    expect(error.message).toContain('not answered with JSON')
  })
})

describe('a merchant client', () => {
  test.each(['[', '{"a":'])('rejects 5,000 levels of %s', async open => {
    const close = open === '[' ? ']' : '}'
    const body = `{"id":"pi_1","object":"payment_intent","status":"pending","x":${open.repeat(5000)}1${close.repeat(5000)}}`
    const server = await serve(response => response.end(body))
    const client = clientFor(server.url, { retries: 0 })
    const error = await refusal(client.payments.get('pi_1'), NotJsonError)
    expect(error.message).toContain('nested more than 64 levels deep')
  })

  test('times out when headers arrive too slowly', async () => {
    const client = clientFor(await speaking(drippingHeaders), { retries: 0, timeoutMs: 100 })
    await refusal(client.payments.get('pi_1'), TimeoutError)
  })

  test('lets many calls share a signal without a warning from Node', async () => {
    const warnings: Error[] = []
    const keep = (warning: Error) => warnings.push(warning)
    process.on('warning', keep)
    onTestFinished(() => void process.off('warning', keep))
    // A payment to the one client, and a sign of life to the other.
    const server = await serve(response => json(response, { ...PAYMENT, version: '0.1.0' }))
    const { signal } = new AbortController()
    const client = clientFor(server.url)
    await Promise.all(Array.from({ length: 30 }, () => client.payments.get('pi_1', { signal })))
    const surface = new ControlClient({ controlUrl: `${server.url}/_paysim`, token: 'secret' }, { signal })
    await Promise.all(Array.from({ length: 30 }, () => surface.health()))
    await surface.close()
    // Node emits warnings in a later tick.
    await new Promise(resolve => setImmediate(resolve))
    expect(warnings).toEqual([])
  })
})

test('a webhook receiver refuses a body that is larger than any webhook', async () => {
  const receiver = await WebhookReceiver.open()
  onTestFinished(() => receiver.close())
  const taken: string[] = []
  receiver.add('/hook', { secrets: () => ['whsec_c2VjcmV0'], take: ({ body }) => void taken.push(body) })
  const post = (body: string) => fetch(`${receiver.url}/hook`, { method: 'POST', body })
  expect((await post('x'.repeat(8 * MEBIBYTE + 1))).status).toBe(413)
  expect((await post(`{"id":${'['.repeat(5000)}${']'.repeat(5000)}}`)).status).toBe(204)
  expect(taken).toHaveLength(1)
})
