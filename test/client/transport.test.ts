import { createServer as createTlsServer } from 'node:https'
import { createServer as createNetServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ArgumentError, ConnectError, TimeoutError } from '../../src/client/index.ts'
import { CERTIFICATE, KEY } from '../support/client/certificate.ts'
import { clientFor, ORDER, PAYMENT, refusal } from '../support/client/client.ts'
import { closedPort, json, listen, recording, serve } from '../support/client/server.ts'

const WELL = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n`

/** A server that speaks as the test has it, once a request has come. */
async function speaking(speak: (socket: Socket) => void): Promise<string> {
  const server = createNetServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => speak(socket))
  })
  return `http://127.0.0.1:${await listen(server)}`
}

async function secureServer() {
  const { listener, seen } = recording(response => json(response, PAYMENT))
  const port = await listen(createTlsServer({ cert: CERTIFICATE, key: KEY }, listener))
  return { url: `https://localhost:${port}`, seen }
}

describe('the transport', () => {
  const once = { retries: 0 }

  test('a call arrives completely: method, path, query, headers and body', async () => {
    const server = await serve(response => json(response, PAYMENT))
    const client = clientFor(`${server.url}/v1/`, { userAgent: 'shop/1' })
    await client.request('PUT', '/things', { query: { a: 'ก' }, body: { b: 1 }, headers: { 'X-Own': 'c' } })
    const [seen] = server.seen
    expect(seen).toMatchObject({ method: 'PUT', url: '/v1/things?a=%E0%B8%81' })
    expect(seen?.headers).toMatchObject({
      host: new URL(server.url).host,
      authorization: `Basic ${btoa('pk_test_public:sk_test_verysecret')}`,
      'content-type': 'application/json',
      'content-length': '7',
      'user-agent': 'shop/1',
      'x-own': 'c',
    })
    expect(String(seen?.body)).toBe('{"b":1}')
  })

  test('a read has no body and no content type', async () => {
    const server = await serve(response => json(response, { ...PAYMENT, id: 'a/b' }))
    await clientFor(server.url).payments.get('a/b')
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/payment_intents/a%2Fb' })
    expect(server.seen[0]?.headers['content-type']).toBeUndefined()
    expect(server.seen[0]?.body.length).toBe(0)
  })

  test.each(['DELETE', 'GET', 'POST'])(
    'the body of a %s is announced, and does not pass for a request',
    async method => {
      const server = await serve(response => json(response, PAYMENT))
      const client = clientFor(server.url)
      await client.request(method, '/things', { body: 'GET /others HTTP/1.1\r\n\r\n' })
      await client.payments.get('pi_1')
      expect(server.seen.map(({ url }) => url)).toEqual(['/things', '/payment_intents/pi_1'])
      expect(String(server.seen[0]?.body)).toBe('GET /others HTTP/1.1\r\n\r\n')
    },
  )

  test('an answer that arrives in pieces is read completely', async () => {
    const text = JSON.stringify({ ...PAYMENT, label: 'บาท'.repeat(50_000) })
    const server = await serve(response => {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; at += 65_537) response.write(bytes.subarray(at, at + 65_537))
      response.end()
    })
    expect((await clientFor(server.url).payments.get('pi_1').answer()).text).toBe(text)
  })

  test('a header that comes twice keeps both values', async () => {
    const server = await serve(response => json(response, PAYMENT, 200, { 'Set-Cookie': ['a=1', 'b=2'] }))
    const { headers } = await clientFor(server.url).payments.get('pi_1').answer()
    expect(headers['set-cookie']).toBe('a=1, b=2')
  })

  test('connections are reused from call to call', async () => {
    const server = await serve(response => json(response, PAYMENT))
    const client = clientFor(server.url)
    for (let count = 0; count < 10; count++) await client.payments.get('pi_1')
    // A second one may be opened before the first is put away.
    expect(Math.max(...server.seen.map(({ connection }) => connection))).toBeLessThanOrEqual(2)
  })

  test('the error of a refused connection says what to do', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`
    const error = await refusal(clientFor(url, once).payments.get('pi_1'), ConnectError)
    expect(error).toMatchObject({ code: 'ECONNREFUSED', sent: false, permanent: false })
    expect(error.message).toContain(url)
    expect(error.message).toContain('paysim serve')
  })

  test('a host that does not exist is reported', async () => {
    const client = clientFor('http://nothing.invalid', { ...once, proxy: false })
    const error = await refusal(client.payments.get('pi_1'), ConnectError)
    expect(error).toMatchObject({ sent: false })
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(error.code)
    expect(error.message).toContain('check the base URL')
  })

  test('a server that never answers causes a timeout', async () => {
    const url = await speaking(() => {})
    const client = clientFor(url, { ...once, timeoutMs: 50 })
    expect(await refusal(client.payments.get('pi_1'), TimeoutError)).toMatchObject({
      phase: 'headers',
      sent: true,
    })
  })

  test('an answer that stops half-way causes a timeout', async () => {
    const url = await speaking(socket => socket.write(`${WELL}content-length: 100\r\n\r\n{"id":`))
    const client = clientFor(url, { ...once, timeoutMs: 1000 })
    expect(await refusal(client.payments.get('pi_1'), TimeoutError)).toMatchObject({ phase: 'body' })
  })

  test('an answer that arrives slowly without an end causes a timeout', async () => {
    const url = await speaking(socket => {
      socket.write(`${WELL}transfer-encoding: chunked\r\n\r\n`)
      const dripping = setInterval(() => socket.write('1\r\n \r\n'), 5)
      socket.once('close', () => clearInterval(dripping))
    })
    const client = clientFor(url, { ...once, timeoutMs: 1000 })
    expect(await refusal(client.payments.get('pi_1'), TimeoutError)).toMatchObject({ phase: 'body' })
  })

  test('an endless answer is abandoned before it fills the memory, and not requested again', async () => {
    const piece = `${(1024 * 1024).toString(16)}\r\n${' '.repeat(1024 * 1024)}\r\n`
    const url = await speaking(socket => {
      socket.write(`${WELL}transfer-encoding: chunked\r\n\r\n`)
      const pour = () => {
        while (!socket.destroyed && socket.write(piece));
        if (!socket.destroyed) socket.once('drain', pour)
      }
      pour()
    })
    const error = await refusal(clientFor(url).payments.create(ORDER), ConnectError)
    expect(error).toMatchObject({ permanent: true, sent: true })
    expect(error.message).toContain('more than 32 MiB')
    expect(error.message).toContain('may have been carried out')
  })

  test.each([
    ['before it answers', ''],
    ['in the middle of the headers', 'HTTP/1.1 200 O'],
    ['in the middle of a body of known length', `${WELL}content-length: 100\r\n\r\n{"id":`],
    ['in the middle of a body in chunks', `${WELL}transfer-encoding: chunked\r\n\r\n6\r\n{"id":\r\n`],
  ])('a server that hangs up %s may have carried out the call', async (_, said) => {
    const url = await speaking(socket => socket.end(said))
    const error = await refusal(clientFor(url, once).payments.create(ORDER), ConnectError)
    expect(error).toMatchObject({ sent: true, permanent: false })
    expect(error.message).toContain('may have been carried out')
  })

  test('an answer that is not HTTP is reported', async () => {
    const url = await speaking(socket => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    const error = await refusal(clientFor(url, once).payments.get('pi_1'), ConnectError)
    expect(error.message).toContain('not HTTP')
  })

  test('a server that changes to another protocol is reported', async () => {
    const url = await speaking(socket =>
      socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    )
    const error = await refusal(clientFor(url, once).payments.get('pi_1'), ConnectError)
    expect(error).toMatchObject({ code: 'ECONNRESET', sent: true })
  })

  test('a header that cannot be sent is refused', async () => {
    const server = await serve(response => json(response, PAYMENT))
    const client = clientFor(server.url)
    await refusal(client.payments.create(ORDER, { idempotencyKey: 'a\r\nx: y' }), ArgumentError)
    await refusal(client.payments.create(ORDER, { idempotencyKey: 'กุญแจ' }), ArgumentError)
    expect(server.seen).toEqual([])
  })

  test('an aborted call ends at once', async () => {
    const url = await speaking(() => ending.abort(new Error('enough')))
    const ending = new AbortController()
    const call = clientFor(url).payments.get('pi_1', { signal: ending.signal })
    await expect(call).rejects.toThrow('enough')
    await expect(clientFor(url).payments.get('pi_1', { signal: ending.signal })).rejects.toThrow('enough')
  })

  test('a certificate of an authority that is given is trusted', async () => {
    const server = await secureServer()
    expect(await clientFor(server.url, { ca: CERTIFICATE }).payments.get('pi_1')).toEqual(PAYMENT)
  })

  test('an untrusted certificate is refused, without a retry', async () => {
    const server = await secureServer()
    const client = clientFor(server.url)
    const error = await refusal(client.payments.get('pi_1'), ConnectError)
    expect(error).toMatchObject({ permanent: true, sent: false })
    expect(error.message).toContain('--ca-file')
    expect(client.records).toHaveLength(1)
    expect(server.seen).toEqual([])
  })

  test('an https address that speaks plain http is reported', async () => {
    const server = await serve(response => json(response, PAYMENT))
    const client = clientFor(server.url.replace('http:', 'https:'))
    const error = await refusal(client.payments.get('pi_1'), ConnectError)
    expect(error.message).toContain('http://')
    expect(error.permanent).toBe(true)
  })

  test('a client can be closed without any call, and twice', async () => {
    const client = clientFor('http://127.0.0.1:1')
    await client.close()
    await client.close()
  })

  test('closing waits for the calls in progress, and ends all later ones', async () => {
    const order: string[] = []
    const server = await serve(response => {
      order.push('asked')
      void client.close().then(() => order.push('closed'))
      setImmediate(() => {
        order.push('answering')
        json(response, PAYMENT)
      })
    })
    const client = clientFor(server.url)
    await client.payments.get('pi_1')
    await client.close()
    expect(order).toEqual(['asked', 'answering', 'closed'])
    const error = await refusal(client.payments.get('pi_1'), ConnectError)
    expect(error).toMatchObject({ sent: false, permanent: true })
    expect(error.message).toContain('this client is closed')
    expect(server.seen).toHaveLength(1)
  })
})
