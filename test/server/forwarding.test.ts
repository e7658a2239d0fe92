import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Account } from '../../src/engine/account/account.ts'
import { Forwarder } from '../../src/server/cluster/forwarder.ts'
import type { Simulator } from '../../src/simulator.ts'
import { PretendedHolders, startSimulator } from '../support/cluster/pretended-holders.ts'
import { exchange, exchangeKept } from '../support/http/raw-http.ts'
import { imageForm } from '../support/payments/images.ts'

const ACCOUNT = 'default.test'
const CREATE = {
  amount: '250000',
  currency: 'THB',
  country: 'TH',
  merchant_reference: 'order-1',
  checkout_mode: 'merchant',
  payment_method: 'th_bank_transfer',
  customer: { name: 'Somchai Jaidee', phone: '+66812345678' },
}

const keysOf = ({ accounts }: Simulator) => {
  const keys = accounts.find(({ id }) => id === ACCOUNT)
  if (!keys) throw new Error('no default account')
  return `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString('base64')}`
}

const addressOf = (simulator: Simulator) => simulator.facts().listen

type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> }

/** Each call has a connection of its own: a process of a cluster that stops still reads for a while on those that are kept. */
const fetch = (url: string, { headers, ...init }: Init = {}) =>
  globalThis.fetch(url, { ...init, headers: { connection: 'close', ...headers } })

/** Two processes. The account is held by the second, and calls come to the first. */
async function pair(options: Parameters<typeof startSimulator>[0] = {}) {
  const holders = new PretendedHolders()
  const entry = await startSimulator(options, { holders, node: 'entry' })
  const holder = await startSimulator(options, { holders, node: 'holder' })
  holders.hold(ACCOUNT, holder)
  const call = (method: string, path: string, init: Init = {}) =>
    fetch(`${addressOf(entry)}${path}`, {
      method,
      ...init,
      headers: { authorization: keysOf(entry), ...init.headers },
    })
  const create = (headers: Record<string, string> = {}) =>
    call('POST', '/payment_intents', {
      body: JSON.stringify(CREATE),
      headers: { 'content-type': 'application/json', ...headers },
    })
  return { holders, entry, holder, call, create }
}

/** Stands where a holder did, and takes its connections. */
async function standIn(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    onSocket(socket)
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A holder of which nothing is there but its address. */
const nobodyAt = (listen: string) => ({ facts: () => ({ listen }) }) as unknown as Simulator

test.each([
  ['that closes', exchange],
  ['that stays open', exchangeKept],
])(
  'a forwarded answer equals a direct one, byte for byte, on a connection %s',
  async (_, exchange) => {
    const publicUrl = 'http://pay.example'
    const alone = await startSimulator({ publicUrl })
    const { entry } = await pair({ publicUrl })
    const json = JSON.stringify(CREATE)
    const withBody = (type: string, body: string | Uint8Array, ...more: string[]) => ({
      head: [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, ...more],
      body,
    })
    const form = new Request('http://x', { method: 'POST', body: imageForm(1) })
    const image = new Uint8Array(await form.arrayBuffer())
    let id = ''
    let page = ''
    const basic = `Authorization: ${keysOf(alone)}`
    const bearer = 'Authorization: Bearer token-of-all'
    const calls = (): { line: string; head: string[]; body?: string | Uint8Array }[] => {
      const create = withBody('application/json', json, basic, 'Idempotency-Key: once')
      const read = { line: `GET /payment_intents/${id} HTTP/1.1`, head: [basic] }
      return [
        { line: 'POST /payment_intents HTTP/1.1', ...create },
        { line: 'POST /payment_intents HTTP/1.1', ...create },
        read,
        { ...read, line: read.line.replace('GET', 'HEAD') },
        { ...read, line: 'GET /payment_intents/pi_unknown HTTP/1.1' },
        { ...read, head: [basic, basic] },
        { ...read, head: ['Authorization: Basic nonsense'] },
        { line: 'PUT /payment_intents HTTP/1.1', head: [basic, 'Content-Length: 0'] },
        { line: 'POST /payment_intents HTTP/1.1', ...withBody('application/json', '{"amount":', basic) },
        {
          line: `POST /payment_intents/${id}/receipt HTTP/1.1`,
          ...withBody(form.headers.get('content-type') ?? '', image, basic, 'Idempotency-Key: receipt'),
        },
        {
          line: 'POST /payment_intents HTTP/1.1',
          head: [basic, 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
          body: `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`,
        },
        { line: `GET ${page} HTTP/1.1`, head: ['Accept-Language: th'] },
        { line: `HEAD ${page} HTTP/1.1`, head: [] },
        { line: `GET ${page}x HTTP/1.1`, head: [] },
        { line: `GET /_paysim/accounts/${ACCOUNT}/payments HTTP/1.1`, head: [bearer] },
        { line: `GET /_paysim/accounts/${ACCOUNT}/payments HTTP/1.1`, head: ['Authorization: Bearer wrong'] },
        {
          line: `PUT /_paysim/accounts/${ACCOUNT}/faults HTTP/1.1`,
          ...withBody('application/json', '{"faults":[{"on":"*","type":"truncate"}]}', bearer),
        },
        read,
        ...[
          '{"type":"status","status":204}',
          '{"type":"status","status":304}',
          '{"type":"drip","delay":"50ms"}',
        ].flatMap(fault => [
          {
            line: `PUT /_paysim/accounts/${ACCOUNT}/faults HTTP/1.1`,
            ...withBody('application/json', `{"faults":[{"on":"*",${fault.slice(1)}]}`, bearer),
          },
          read,
        ]),
        {
          line: `PUT /_paysim/accounts/${ACCOUNT}/faults HTTP/1.1`,
          ...withBody('application/json', '{"faults":[{"on":"*","type":"reset"}]}', bearer),
        },
        { line: `GET /_paysim/accounts/${ACCOUNT}/export HTTP/1.1`, head: [bearer] },
      ]
    }
    for (let nth = 0; nth < calls().length; nth++) {
      const { line = '', head = [], body } = calls()[nth] ?? {}
      // The host that was asked is in some answers.
      const sent = [line, 'Host: localhost', ...head]
      const [direct, forwarded] = await Promise.all([
        exchange(addressOf(alone), sent, body),
        exchange(addressOf(entry), sent, body),
      ])
      expect(comparable(forwarded, line), line).toEqual(comparable(direct, line))
      id ||= JSON.parse(direct.body).id
      if (page === '') {
        const hosted = { ...CREATE, checkout_mode: 'hosted', payment_method: undefined }
        const made = await Promise.all(
          [alone, entry].map(at =>
            fetch(`${addressOf(at)}/payment_intents`, {
              method: 'POST',
              headers: { authorization: keysOf(alone), 'content-type': 'application/json' },
              body: JSON.stringify(hosted),
            }).then(answer => answer.json() as Promise<{ next_action: { url: string } }>),
          ),
        )
        expect(made[1]).toEqual(made[0])
        page = String(made[0]?.next_action.url).slice(publicUrl.length)
      }
    }
    // A reset has no answer to compare.
    for (const at of [alone, entry])
      await expect(
        fetch(`${addressOf(at)}/payment_intents/${id}`, { headers: { authorization: keysOf(alone) } }),
      ).rejects.toThrow()
  },
  120_000,
)

/** Times of the wall, and ids of requests that belong to no account's key, are other ones in each process. */
function comparable({ status, headers, body }: Awaited<ReturnType<typeof exchange>>, line: string) {
  const isKeyed = line.includes(' /payment_intents') && status !== 401
  const known = (text: string) => (isKeyed ? text : text.replace(/req_\w+/g, 'req'))
  return {
    status,
    headers: known(headers.replace(/^date: .*$/im, '')),
    body: known(body.replace(/"(wall_at|ms)":("[^"]*"|[\d.]+)/g, '')),
  }
}

test('a large upload reaches the holder completely', async () => {
  const { entry } = await pair()
  const control = { authorization: 'Bearer token-of-all' }
  const address = `${addressOf(entry)}/_paysim/accounts/${ACCOUNT}`
  const image = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(4 * 1024 * 1024, 7)])
  const form = new FormData()
  form.append('file', new Blob([image], { type: 'image/png' }), 'large.png')
  const made = await fetch(`${address}/assets`, { method: 'POST', headers: control, body: form })
  expect(await made.json()).toMatchObject({ object: 'asset', size: image.length })
})

test('the rest of a body that is too large is read, and the connection stays usable', async () => {
  const { entry } = await pair()
  const { hostname, port } = new URL(addressOf(entry))
  const socket = connect(Number(port), hostname)
  onTestFinished(() => {
    socket.destroy()
  })
  const line = (method: string, path: string, length: number) =>
    [
      `${method} ${path} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      `Authorization: ${keysOf(entry)}`,
      'Content-Type: application/json',
      `Content-Length: ${length}\r\n\r\n`,
    ].join('\r\n')
  const size = 64 * 1024 * 1024
  socket.write(line('POST', '/payment_intents', size))
  socket.write(Buffer.alloc(size, ' '))
  socket.write(line('GET', '/payment_intents/pi_unknown', 0))
  let answers = ''
  socket.setEncoding('latin1').on('data', text => {
    answers += text
  })
  await expect.poll(() => answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 404'])
})

test('an event stream arrives as it happens, and ends at the holder when its reader leaves', async () => {
  const { entry, holder, create } = await pair()
  const stopped = whenStreamStops(await accountAt(holder))
  const stopping = new AbortController()
  const stream = await fetch(`${addressOf(entry)}/_paysim/accounts/${ACCOUNT}/stream`, {
    headers: { authorization: 'Bearer token-of-all' },
    signal: stopping.signal,
  })
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  const until = async (text: string) => {
    let read = ''
    while (!read.includes(text)) read += (await reader?.read())?.value ?? ''
  }
  await until('event: hello')
  await create()
  await until('PaymentCreated')
  expect(await Promise.race([stopped, 'still open'])).toBe('still open')
  stopping.abort()
  await stopped
})

/** The account as this process has it. */
async function accountAt(at: Simulator): Promise<Account> {
  const runtime = await at.gateway.account(ACCOUNT)?.open()
  if (!runtime) throw new Error('no default account')
  return runtime.account
}

/** Resolves when the next stream of an account no longer listens for entries. */
function whenStreamStops(account: Account): Promise<void> {
  const { onEntry } = account
  return new Promise(resolve => {
    vi.spyOn(account, 'onEntry').mockImplementationOnce(listener => {
      const stop = onEntry(listener)
      return () => {
        stop()
        resolve()
      }
    })
  })
}

test('a call counts as forwarded by another process only with the secret', async () => {
  const { entry, holder, holders } = await pair()
  const path = `/_paysim/accounts/${ACCOUNT}/payments`
  const headers = { authorization: 'Bearer token-of-all' }
  const withSecret = (secret: string) =>
    fetch(`${addressOf(entry)}${path}`, { headers: { ...headers, 'paysim-handed-on': `control ${secret}` } })
  // A stranger's header is not read and not passed on: the holder answers.
  expect((await withSecret('guessed')).status).toBe(200)
  // With the secret it is as from another process, and is not handed on a second time.
  const declined = await withSecret('secret-of-all')
  expect(declined.status).toBe(421)
  expect(declined.headers.get('paysim-no-answer')).toBe('not-held')
  expect(holders.asked).toBeGreaterThan(0)
  expect((await fetch(`${addressOf(holder)}${path}`, { headers })).status).toBe(200)
})

test('a call waits while no process holds its account, and the next holder answers it', async () => {
  const { holders, holder, entry, create } = await pair()
  for (const next of [holder, entry]) {
    holders.hold(ACCOUNT, null)
    const answering = create()
    const first = await Promise.race([answering.then(() => 'answered'), nextAsk(holders)])
    expect(first).toBe('asked')
    holders.hold(ACCOUNT, next)
    expect((await answering).status).toBe(201)
  }
})

async function nextAsk(holders: PretendedHolders): Promise<'asked'> {
  const before = holders.asked
  await expect.poll(() => holders.asked).toBeGreaterThan(before)
  return 'asked'
}

test('a call that reached no holder goes to the next one', async () => {
  const { holders, holder, create } = await pair()
  const gone = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => gone.once('listening', resolve))
  const address = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`
  await new Promise(resolve => gone.close(resolve))
  holders.hold(ACCOUNT, nobodyAt(address))
  const answering = create()
  await nextAsk(holders)
  holders.hold(ACCOUNT, holder)
  expect((await answering).status).toBe(201)
})

/** The holder ends with the connection after it got a call, so nobody knows whether it carried it out. */
async function dieUnder(holders: PretendedHolders, next: Simulator): Promise<void> {
  const address = await standIn(socket =>
    socket.once('data', () => {
      holders.hold(ACCOUNT, next)
      socket.destroy()
    }),
  )
  holders.hold(ACCOUNT, nobodyAt(address))
}

test('a call that may have been carried out is not repeated without a key', async () => {
  const { holders, holder, create } = await pair()
  await dieUnder(holders, holder)
  const answer = await create()
  expect(answer.status).toBe(503)
  expect(await answer.text()).toContain('not known whether the call was carried out')
  expect((await accountAt(holder)).world.payments.size).toBe(0)
})

test.each(['holder', 'entry'] as const)('a call with a key is repeated if the %s takes over', async next => {
  const { holders, holder, entry, create } = await pair()
  const heir = next === 'holder' ? holder : entry
  await dieUnder(holders, heir)
  const answer = await create({ 'idempotency-key': 'once' })
  expect(answer.status).toBe(201)
  expect((await accountAt(heir)).world.payments.size).toBe(1)
})

test('a call that only reads is repeated', async () => {
  const { holders, holder, call } = await pair()
  await dieUnder(holders, holder)
  expect((await call('GET', '/payout_intents')).status).toBe(200)
})

test('a holder that does not answer is abandoned when it no longer holds the account', async () => {
  const { holders, holder, create } = await pair()
  let reached: () => void = () => {}
  const arrived = new Promise<void>(resolve => {
    reached = resolve
  })
  const address = await standIn(socket => socket.once('data', reached))
  holders.hold(ACCOUNT, nobodyAt(address))
  const answering = create({ 'idempotency-key': 'once' })
  await arrived
  holders.hold(ACCOUNT, holder)
  expect((await answering).status).toBe(201)
})

/** A holder whose connections are answered by these functions, one after another. */
async function answeredBy(...answers: ((socket: Socket) => void)[]) {
  const { holders, call, entry } = await pair()
  let next = 0
  const sockets: Socket[] = []
  const listen = await standIn(socket => {
    sockets.push(socket)
    const answer = answers[next++]
    socket.on('data', () => answer?.(socket))
  })
  holders.hold(ACCOUNT, nobodyAt(listen))
  const read = (headers?: Record<string, string>) =>
    call('GET', '/payment_intents/pi_x', headers ? { headers } : {})
  return { read, taken: () => next, entry, sockets }
}

const KEPT_BY_HOLDER = 'HTTP/1.1 200 OK\r\nx-thing: 1\r\nContent-Length: 7\r\n\r\n{"a":1}'
const OF_HOLDER = 'HTTP/1.1 200 OK\r\nx-thing: 1\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{"a":1}'

test('an answer that comes in pieces arrives whole, without the headers about its connection', async () => {
  const { read } = await answeredBy(async socket => {
    for (const byte of OF_HOLDER) {
      socket.write(byte)
      await new Promise(setImmediate)
    }
  })
  const answer = await read({ connection: 'keep-alive' })
  expect(await answer.json()).toEqual({ a: 1 })
  expect(answer.headers.get('x-thing')).toBe('1')
  expect(answer.headers.get('connection')).toBe('keep-alive')
})

test('a connection that the holder has closed is not used again', async () => {
  const { read, taken, sockets } = await answeredBy(
    // It says so before it closes.
    socket => void socket.write(OF_HOLDER),
    socket => void socket.write(KEPT_BY_HOLDER),
    socket => void socket.write(KEPT_BY_HOLDER),
  )
  for (const _ of [1, 2, 3]) expect(await (await read()).json()).toEqual({ a: 1 })
  expect(taken()).toBe(2)
  for (const socket of sockets) socket.resetAndDestroy()
  expect(await (await read()).json()).toEqual({ a: 1 })
  expect(taken()).toBe(3)
})

test('a page that is forwarded leaves its connection usable', async () => {
  const { entry } = await pair()
  const hosted = { ...CREATE, checkout_mode: 'hosted', payment_method: undefined }
  const made = await fetch(`${addressOf(entry)}/payment_intents`, {
    method: 'POST',
    headers: { authorization: keysOf(entry), 'content-type': 'application/json' },
    body: JSON.stringify(hosted),
  })
  const { next_action } = (await made.json()) as { next_action: { url: string } }
  const page = `GET ${new URL(next_action.url).pathname}${new URL(next_action.url).search} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const { hostname, port } = new URL(addressOf(entry))
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.on('data', text => {
    received += text
  })
  for (const pages of [1, 2, 3]) {
    socket.write(page)
    await expect.poll(() => received.split('</html>').length).toBe(pages + 1)
  }
})

test('many calls that are sent ahead are answered once their caller reads, and Node then takes the connection', async () => {
  const body = 'x'.repeat(60_000)
  let asked = 0
  const answer = (socket: Socket) => {
    asked++
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  }
  const { entry } = await answeredBy(...Array.from({ length: 200 }, () => answer))
  const { hostname, port } = new URL(addressOf(entry))
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  const head = (method: string) =>
    `${method} /payment_intents/pi_x HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${keysOf(entry)}\r\n\r\n`
  socket.pause().write(head('GET').repeat(200) + head('HEAD'))
  // Until the answers that nobody reads fill the connection, so that the next call is not made.
  let before = 0
  await expect
    .poll(
      () => {
        const isFull = asked > 0 && asked === before
        before = asked
        return isFull
      },
      { interval: 200 },
    )
    .toBe(true)
  let answers = 0
  socket.on('data', text => {
    answers += String(text).split('HTTP/1.1 200').length - 1
  })
  socket.resume()
  await expect.poll(() => answers).toBe(201)
})

test('an answer that ends before its end is cut off', async () => {
  const { read } = await answeredBy(socket => void socket.end(OF_HOLDER.slice(0, -1)))
  const answer = await read()
  await expect(answer.text()).rejects.toThrow()
})

test('a caller that disconnects ends its call at the holder', async () => {
  const { holders, call } = await pair()
  let closed: () => void = () => {}
  const ended = new Promise<void>(resolve => {
    closed = resolve
  })
  const stopping = new AbortController()
  const address = await standIn(socket => socket.once('data', () => stopping.abort()).once('close', closed))
  holders.hold(ACCOUNT, nobodyAt(address))
  await expect(call('GET', '/payout_intents', { signal: stopping.signal })).rejects.toThrow('aborted')
  await ended
})

test('a control call is forwarded with a separate control port too', async () => {
  const { entry } = await pair({ controlPort: 0 })
  const answer = await fetch(`${entry.controlUrl}/accounts/${ACCOUNT}/payments`, {
    headers: { authorization: 'Bearer token-of-all' },
  })
  expect(answer.status).toBe(200)
  // The merchant's port still has no control surface for strangers.
  expect((await fetch(`${addressOf(entry)}/_paysim/health`)).status).toBe(401)
})

test('the holder of an account is looked up again after a second', async () => {
  const holders = new PretendedHolders()
  const forwarder = new Forwarder({
    holders: holders.seenBy(() => undefined, 'entry', 'secret'),
    self: () => 'http://entry.test',
    app: () => undefined,
  })
  onTestFinished(() => forwarder.close())
  const clock = vi.spyOn(performance, 'now').mockReturnValue(5000)
  const caller = new AbortController()
  holders.hold(ACCOUNT, nobodyAt('http://one.test'))
  expect(await forwarder.find(ACCOUNT, caller)).toBe('http://one.test')
  holders.hold(ACCOUNT, nobodyAt('http://two.test'))
  clock.mockReturnValue(5999)
  expect(await forwarder.find(ACCOUNT, caller)).toBe('http://one.test')
  expect(await forwarder.find(ACCOUNT, caller, true)).toBe('http://two.test')
  clock.mockReturnValue(6999)
  holders.hold(ACCOUNT, nobodyAt('http://three.test'))
  expect(await forwarder.find(ACCOUNT, caller)).toBe('http://three.test')
})
