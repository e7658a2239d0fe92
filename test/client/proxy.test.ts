import { EventEmitter } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { ArgumentError, ConnectError, TimeoutError } from '../../src/client/index.ts'
import { chooseProxy } from '../../src/client/transport/open-transport.ts'
import { CERTIFICATE, KEY } from '../support/client/certificate.ts'
import { clientFor, PAYMENT, refusal } from '../support/client/client.ts'
import { closedPort, json, listen, recording, serve } from '../support/client/server.ts'

const chosen = (target: string, variables: Record<string, string>, asked?: string | false) =>
  chooseProxy(new URL(target), asked, variables)?.href

describe('the proxy', () => {
  const BOTH = { HTTP_PROXY: 'http://plain:1', HTTPS_PROXY: 'http://secure:2' }

  test.each([
    ['http://api.example', BOTH, 'http://plain:1/'],
    ['https://api.example', BOTH, 'http://secure:2/'],
    ['https://api.example', { https_proxy: 'lower:3', HTTPS_PROXY: 'http://upper:4' }, 'http://lower:3/'],
    ['https://api.example', { HTTP_PROXY: 'http://plain:1' }, undefined],
    ['https://api.example', { HTTPS_PROXY: ' ' }, undefined],
    ['https://api.example', {}, undefined],
    ['http://localhost:7297', BOTH, undefined],
    ['http://127.0.0.1:7297', BOTH, undefined],
    ['http://127.8.9.1', BOTH, undefined],
    ['http://[::1]:7297', BOTH, undefined],
    ['http://shop.localhost', BOTH, undefined],
    ['http://localhost.example', BOTH, 'http://plain:1/'],
    ['http://127.0.0.1.example', BOTH, 'http://plain:1/'],
  ])('of %s in %j is %s', (target, variables, proxy) => {
    expect(chosen(target, variables)).toBe(proxy)
  })

  test.each([
    ['*', true],
    ['api.example', true],
    ['.api.example', true],
    ['example', true],
    ['*.example', true],
    ['API.EXAMPLE', true],
    ['other.example, api.example', true],
    ['other.example api.example', true],
    ['api.example:443', true],
    ['api.example:8443', false],
    ['pi.example', false],
    ['other.example', false],
    ['', false],
  ])('is skipped for https://api.example by NO_PROXY=%s: %s', (list, exempt) => {
    const proxy = chosen('https://api.example', { ...BOTH, NO_PROXY: list })
    expect(proxy).toBe(exempt ? undefined : 'http://secure:2/')
  })

  test('that is given takes precedence over the environment, also for this machine', () => {
    expect(chosen('http://127.0.0.1', { NO_PROXY: '*' }, 'mine:5')).toBe('http://mine:5/')
    expect(chosen('https://api.example', BOTH, false)).toBeUndefined()
  })

  test.each(['::', 'ftp://user:hunter2@x', 'http://user:hunter2@'])('%j is refused, not repeated', text => {
    const choose = () => chosen('https://api.example', { HTTPS_PROXY: text })
    expect(choose).toThrow(ArgumentError)
    expect(choose).toThrow(/^HTTPS_PROXY/)
    expect(choose).not.toThrow(/hunter2/)
  })
})

/** A proxy that opens every way to this one server. */
async function proxyTo(port: number, status = 200, server: Server = createServer()) {
  const plain: { url: string; authorization: string | undefined }[] = []
  const tunnels: IncomingMessage[] = []
  server.on('request', (request, response) => {
    plain.push({ url: request.url ?? '', authorization: request.headers['proxy-authorization'] })
    if (status === 200) json(response, PAYMENT)
    else response.writeHead(status).end()
  })
  server.on('connect', (request, socket) => {
    tunnels.push(request)
    socket.on('error', () => {})
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    target.on('error', () => socket.destroy())
    socket.on('close', () => target.destroy())
  })
  return { port: await listen(server), plain, tunnels }
}

async function secureServer() {
  const { listener, seen } = recording(response => json(response, PAYMENT))
  return { port: await listen(createTlsServer({ cert: CERTIFICATE, key: KEY }, listener)), seen }
}

describe('through a proxy', () => {
  test('a plain call sends its whole address, with the credentials of the proxy', async () => {
    const proxy = await proxyTo(0)
    const client = clientFor('http://api.example/v1', {
      proxy: `http://me:secret@127.0.0.1:${proxy.port}`,
    })
    expect(await client.payments.get('pi_1')).toEqual(PAYMENT)
    expect(proxy.plain).toEqual([
      { url: 'http://api.example/v1/payment_intents/pi_1', authorization: `Basic ${btoa('me:secret')}` },
    ])
  })

  test('an encrypted call goes through a tunnel, and the proxy sees nothing of it', async () => {
    const server = await secureServer()
    const proxy = await proxyTo(server.port)
    vi.stubEnv('https_proxy', `http://127.0.0.1:${proxy.port}`)
    vi.stubEnv('no_proxy', '')
    const client = clientFor(`https://localhost:${server.port}`, {
      proxy: `http://127.0.0.1:${proxy.port}`,
      ca: CERTIFICATE,
    })
    vi.unstubAllEnvs()
    expect(await client.payments.get('pi_1')).toEqual(PAYMENT)
    expect(proxy.plain).toEqual([])
    expect(proxy.tunnels.map(({ url }) => url)).toEqual([`localhost:${server.port}`])
    expect(proxy.tunnels[0]?.headers.authorization).toBeUndefined()
    expect(server.seen).toHaveLength(1)
  })

  test('encrypted calls share a tunnel, and a receipt arrives in it completely', async () => {
    const server = await secureServer()
    const proxy = await proxyTo(server.port)
    const client = clientFor(`https://localhost:${server.port}`, {
      proxy: `http://me:se%20cret@127.0.0.1:${proxy.port}`,
      ca: CERTIFICATE,
    })
    const image = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(500_000, 7)])
    await client.payments.submitReceipt('pi_1', { file: image })
    await new Promise(setImmediate)
    await client.payments.get('pi_1')
    expect(proxy.tunnels.map(({ headers }) => headers['proxy-authorization'])).toEqual([
      `Basic ${btoa('me:se cret')}`,
    ])
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/payment_intents/pi_1/receipt',
      '/payment_intents/pi_1',
    ])
    expect(server.seen[0]?.body.includes(image)).toBe(true)
    expect(server.seen[0]?.headers['proxy-authorization']).toBeUndefined()
  })

  test('a proxy may itself be encrypted, for plain and for encrypted calls', async () => {
    const server = await secureServer()
    const proxy = await proxyTo(server.port, 200, createTlsServer({ cert: CERTIFICATE, key: KEY }))
    const through = { proxy: `https://localhost:${proxy.port}`, ca: CERTIFICATE }
    await clientFor(`https://localhost:${server.port}`, through).payments.get('pi_1')
    await clientFor('http://api.example', through).payments.get('pi_1')
    expect(server.seen).toHaveLength(1)
    expect(proxy.tunnels).toHaveLength(1)
    expect(proxy.plain.map(({ url }) => url)).toEqual(['http://api.example/payment_intents/pi_1'])
    const distrusted = clientFor('https://api.example', { proxy: through.proxy, retries: 0 })
    const error = await refusal(distrusted.payments.get('pi_1'), ConnectError)
    expect(error).toMatchObject({ permanent: true, sent: false })
    expect(error.message).toContain('--ca-file')
  })

  test('an untrusted certificate behind a proxy is refused', async () => {
    const server = await secureServer()
    const proxy = await proxyTo(server.port)
    const client = clientFor(`https://localhost:${server.port}`, { proxy: `http://127.0.0.1:${proxy.port}` })
    const error = await refusal(client.payments.get('pi_1'), ConnectError)
    expect(error).toMatchObject({ permanent: true, sent: false })
    expect(error.message).toContain(`(through the proxy 127.0.0.1:${proxy.port})`)
    expect(server.seen).toEqual([])
  })

  test('a proxy that never opens a tunnel causes a timeout, and an aborted call does not wait for it', async () => {
    const asked = new EventEmitter()
    const silent = createServer().on('connect', (_, socket) => {
      socket.resume().once('end', () => socket.destroy())
      asked.emit('asked')
    })
    const through = { proxy: `http://127.0.0.1:${await listen(silent)}`, retries: 0 }
    const late = clientFor('https://api.example', { ...through, timeoutMs: 50 })
    expect(await refusal(late.payments.get('pi_1'), TimeoutError)).toMatchObject({
      phase: 'connect',
      sent: false,
    })
    const ending = new AbortController()
    asked.once('asked', () => ending.abort(new Error('enough')))
    const client = clientFor('https://api.example', through)
    await expect(client.payments.get('pi_1', { signal: ending.signal })).rejects.toThrow('enough')
    // Closing ends the connection to the proxy, which would keep the process alive.
    await client.close()
    await late.close()
    await new Promise<void>(resolve => silent.close(() => resolve()))
  })

  test('uses the proxy of the environment, but not for this machine', async () => {
    const proxy = await proxyTo(0)
    const server = await serve(response => json(response, PAYMENT))
    vi.stubEnv('http_proxy', `http://127.0.0.1:${proxy.port}`)
    vi.stubEnv('no_proxy', '')
    const [there, here] = [clientFor('http://api.example'), clientFor(server.url)]
    vi.unstubAllEnvs()
    await there.payments.get('pi_1')
    await here.payments.get('pi_1')
    expect(proxy.plain.map(({ url }) => url)).toEqual(['http://api.example/payment_intents/pi_1'])
    expect(server.seen).toHaveLength(1)
  })

  test.each([
    ['http://api.example', 407],
    ['https://api.example', 407],
    ['https://api.example', 502],
  ])('reports a proxy that refuses %s with %d', async (base, status) => {
    const proxy = await proxyTo(0, status)
    const client = clientFor(base, { proxy: `http://me:hunter2@127.0.0.1:${proxy.port}`, retries: 0 })
    const error = await refusal(client.payments.get('pi_1'), ConnectError)
    expect(error.message).toContain(`(${status})`)
    expect(error.code).toBe('ABORTED_BY_PROXY')
    expect(error.message).not.toContain('hunter2')
  })

  test('reports a proxy that does not exist, and does not take it for the server', async () => {
    const port = await closedPort()
    const client = clientFor('https://api.example', { proxy: `http://127.0.0.1:${port}`, retries: 0 })
    const error = await refusal(client.payments.get('pi_1'), ConnectError)
    expect(error).toMatchObject({ code: 'ECONNREFUSED', sent: false })
    expect(error.message).toContain(`proxy 127.0.0.1:${port}`)
  })
})
