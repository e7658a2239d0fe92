import { expect, test } from 'vitest'
import { openStream } from '../support/gateway/event-stream.ts'
import { type Json, openAccount, succeeded } from '../support/gateway/merchant.ts'
import { ownServer } from '../support/gateway/shared-server.ts'
import { openSocket } from '../support/http/raw-socket.ts'
import { createPayment } from '../support/payments/payments.ts'
import { SECONDS, Tally, TIMEOUT_MS } from '../support/torture/tally.ts'

/** Readers of an event stream that do not read: the server keeps little for them, and they find all that they missed. */

const READERS = 50
const CREATES = Math.min(20_000, Math.max(1000, SECONDS * 50))
const AT_ONCE = 25
/** One entry with many rules for so many creates, because the system keeps megabytes for each connection. */
const EVERY = 50
const RULES = Array.from({ length: 1500 }, (_, nth) => ({
  name: `rule ${nth} ${'x'.repeat(60)}`,
  match: { merchant_reference: 'none' },
  outcome: { status: 'succeeded' },
}))
const MOST_WAITING = READERS * 1.5 * 1024 * 1024

test('unread streams', { timeout: TIMEOUT_MS }, async () => {
  const tally = new Tally('streams')
  // With what it kept for such readers before, a server of this size ended.
  const server = await ownServer({ env: { NODE_OPTIONS: '--max-old-space-size=512' } })
  const account = await openAccount(server)
  const { pathname } = new URL(server.controlUrl)
  const stream = `${pathname}/accounts/${account.id}/stream`
  const sockets = Array.from({ length: READERS }, () => openSocket(server.url).pause())
  for (const socket of sockets)
    socket.write(
      `GET ${stream} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.controlToken}\r\n\r\n`,
    )
  const measure = async () => {
    const { text } = await server.control('GET', '/metrics')
    const read = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
    return {
      open: read('paysim_streams'),
      waiting: read('paysim_stream_waiting_bytes'),
      cut: read('paysim_streams_cut_total'),
    }
  }
  await expect.poll(async () => (await measure()).open).toBe(READERS)
  let cut = 0
  for (let made = 0; made < CREATES || cut < READERS; made += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => createPayment(account)))
    tally.add('creates', AT_ONCE)
    if (made % EVERY === 0) await succeeded(account.control('PUT', '/rules', { body: { rules: RULES } }))
    const measured = await measure()
    expect(measured.waiting).toBeLessThanOrEqual(MOST_WAITING)
    cut = measured.cut
  }
  expect(await measure()).toEqual({ open: 0, waiting: 0, cut: READERS })
  tally.add('readers', READERS)

  const received = await Promise.all(
    sockets.map(async socket => {
      let text = ''
      socket.setEncoding('utf8').on('data', piece => {
        text += piece
      })
      socket.resume()
      await expect.poll(() => text.endsWith('\r\n0\r\n\r\n')).toBe(true)
      expect(text).toContain('event: overflow\n')
      return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    }),
  )
  const seq = Number((await succeeded(account.control('GET', '/export'))).entries.length)
  const shortest = received.reduce((one, other) => (other.length < one.length ? other : one))
  const after = shortest.at(-1) ?? 0
  const again = await openStream(server, account, '', { 'last-event-id': String(after) })
  await again.until((message: Json) => message.seq === seq && 'events' in message)
  const rest = again.messages.filter(message => 'events' in message).map(message => message.seq)
  const first = shortest[0] ?? 0
  expect([...shortest, ...rest]).toEqual(Array.from({ length: seq - first + 1 }, (_, nth) => first + nth))
  tally.add('entries that were missed', rest.length)
  tally.write()
})
