import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Chance } from '../support/fuzz/chance.ts'
import type { Json } from '../support/gateway/merchant.ts'
import { paymentBody } from '../support/payments/payments.ts'
import { BINARY } from '../support/paysim-binary.ts'
import { FIRST, isRepeat, repeatWith, SEED, shareMs, Tally, TIMEOUT_MS } from '../support/torture/tally.ts'
import { startTortured, type TortureServer } from '../support/torture/torture-server.ts'

/**
 * Receivers that hang, drip, flood, redirect, reset and lie. Each event is tried as the schedule says, with the same id
 * and body; a receiver that works has all of them; others are served meanwhile.
 */

const GOOD = 'HTTP/1.1 204 No Content\r\n\r\n'

/** What a receiver does with a connection once a whole request is there. */
const MANNERS: Record<string, (socket: Socket) => void> = {
  accepts: socket => socket.write(GOOD),
  hangs: () => {},
  drips: socket => {
    const timer = setInterval(() => socket.write('H'), 50)
    socket.once('close', () => clearInterval(timer))
  },
  'drips a body': socket => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 50)
    socket.once('close', () => clearInterval(timer))
  },
  floods: socket => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const pour = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', pour)
    pour()
  },
  'floods headers': socket => {
    const pour = () => {
      while (!socket.destroyed && socket.write(`x-${'h'.repeat(1000)}: y\r\n`));
    }
    socket.write('HTTP/1.1 200 OK\r\n')
    socket.on('drain', pour)
    pour()
  },
  redirects: socket => socket.write('HTTP/1.1 307 No\r\nlocation: /redirected\r\ncontent-length: 0\r\n\r\n'),
  resets: socket => socket.resetAndDestroy(),
  'ends early': socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nshort'),
  'says nonsense': socket => socket.end('\u0000\u0001 not HTTP at all\r\n\r\n'),
  'answers twice': socket => socket.write(GOOD + GOOD),
  'waits for years': socket =>
    socket.write('HTTP/1.1 503 No\r\nretry-after: 999999999999\r\ncontent-length: 0\r\n\r\n'),
  'is gone': socket => socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'),
}

/** They never accepted. The others did, or asked for no more, or for years of patience. */
const TRIED_AGAIN = new Set(['hangs', 'drips', 'floods headers', 'redirects', 'resets', 'says nonsense'])

/** So many has the schedule. */
const MOST_ATTEMPTS = 10

/** The first body of each event, and how often it came. */
class Post {
  readonly seen = new Map<string, { body: string; times: number }>()
  readonly wrong: string[] = []

  take(request: string): void {
    const [head = '', body = ''] = request.split('\r\n\r\n')
    if (head.includes('/redirected')) this.wrong.push('a redirect was followed')
    const id = /^webhook-id: (.*)$/im.exec(head)?.[1] ?? ''
    const before = this.seen.get(id)
    if (before && before.body !== body)
      this.wrong.push(`event ${id} had another body: ${before.body} | ${body}`)
    this.seen.set(id, { body, times: (before?.times ?? 0) + 1 })
  }
}

async function openReceiver(manner: (socket: Socket) => void) {
  const post = new Post()
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    let text = ''
    socket.on('data', chunk => {
      text += chunk
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (!text.includes('\r\n\r\n') || Buffer.byteLength(text.split('\r\n\r\n')[1] ?? '') < length) return
      post.take(text)
      text = ''
      manner(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, post, close }
}

async function must(pending: ReturnType<TortureServer['control']>, status: number): Promise<Json> {
  const reply = await pending
  if (reply?.status !== status) throw new Error(`${reply?.status} ${reply?.text}`)
  return reply.body
}

/**
 * An attempt that had no more time: the advance did not wait any longer. On a busy machine, also a receiver that works
 * may be late, and what would reach one that hangs may be given up before it was sent.
 */
const isCutShort = ({ response }: Json) => /an advance waits/.test(response?.error)

/** What is wrong with a delivery that was seen so many times; undefined if nothing is. */
function problemOf(name: string, times: number, { attempts }: Json): string | undefined {
  if (times > attempts.length) return 'had an event more often than it was tried'
  if (attempts.length > MOST_ATTEMPTS) return 'had an event too often'
  if (TRIED_AGAIN.has(name) && attempts.length < 2) return 'had an event only once'
  const whole = attempts.filter((attempt: Json) => !isCutShort(attempt))
  // The second answer may be taken for that to the next event.
  if (name === 'answers twice') return undefined
  if (whole.length > 0 && times === 0) return 'never had an event'
  if (name !== 'accepts') return undefined
  if (whole.length > 1) return 'had an event again after its answer'
  if (whole.length === 1 && (whole[0] !== attempts.at(-1) || whole[0].response?.status !== 204))
    return 'accepted an event in vain'
  return undefined
}

/** One account with a receiver of each of some manners, through the whole schedule of attempts. */
async function round(server: TortureServer, nth: number, chance: Chance, tally: Tally): Promise<void> {
  const id = `shop-${nth}`
  const made = await must(server.control('POST', '/merchants', { id, clock: { mode: 'virtual' } }), 201)
  const keys = made.accounts.find(({ environment }: Json) => environment === 'test')
  const account = `/accounts/${id}.test`
  const names = Object.keys(MANNERS).filter(name => name === 'accepts' || chance.is(0.4))
  const receivers = await Promise.all(
    names.map(async name => ({ name, ...(await openReceiver(MANNERS[name] ?? (() => {}))) })),
  )
  try {
    for (const { url } of receivers)
      await must(server.control('POST', `${account}/webhook-endpoints`, { url }), 201)
    const payments = 1 + chance.below(3)
    for (let at = 0; at < payments; at++) {
      const { id: payment } = await must(
        server.call(keys, 'POST', '/payment_intents', { body: paymentBody() }),
        201,
      )
      await must(server.control('POST', `${account}/payments/${payment}/succeed`, {}), 200)
    }
    const advances = ['1s', '5s', '6m', '40m', '3h', '6h', '11h', '15h', '21h', '25h']
    for (const by of advances) {
      const advancing = must(server.control('POST', `${account}/clock/advance`, { by }), 200)
      // Whoever else asks is answered while receivers keep this one waiting.
      await must(server.control('GET', '/health'), 200)
      await advancing
    }
    tally.add('hours simulated', 82)
    const { data } = await must(server.control('GET', `${account}/webhook-deliveries`), 200)
    for (const { name, url, post } of receivers) {
      if (post.wrong.length > 0) throw new Error(`${name}: ${post.wrong.join('\n')}`)
      const deliveries = data.filter((delivery: Json) => delivery.url === url)
      if (deliveries.length !== payments)
        throw new Error(`${name} has ${deliveries.length} of ${payments} events`)
      for (const delivery of deliveries) {
        const times = post.seen.get(delivery.event)?.times ?? 0
        tally.add('deliveries', times)
        const problem = problemOf(name, times, delivery)
        if (problem) throw new Error(`${name} ${problem}: ${JSON.stringify(delivery)}`)
      }
    }
    await must(server.control('DELETE', `/merchants/${id}`), 204)
    tally.add('receivers', receivers.length)
  } finally {
    for (const { close } of receivers) close()
  }
}

test('no receiver blocks the others or loses an event', { timeout: TIMEOUT_MS }, async () => {
  const tally = new Tally('receivers')
  const dataDir = await mkdtemp(join(tmpdir(), 'paysim-receivers-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { server } = await startTortured({ binary: BINARY, dataDir, args: ['--advance-wait', '100ms'] })
  if (!server) throw new Error('it ended without a plan')
  onTestFinished(() => server.kill())
  let plan = FIRST
  do {
    try {
      await round(server, plan, new Chance(SEED * 2_654_435_761 + plan), tally)
    } catch (cause) {
      throw new Error(repeatWith('receivers', plan), { cause })
    }
    plan++
  } while (!isRepeat && tally.elapsedMs < shareMs(0.02))
  expect(server.stderr()).toBe('')
  expect(await server.stop()).toBe(0)
  tally.write()
})
