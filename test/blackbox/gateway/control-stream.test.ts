import { expect, test } from 'vitest'
import { openStream } from '../../support/gateway/event-stream.ts'
import { type Json, openAccount, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, sharedServer } from '../../support/gateway/shared-server.ts'
import { openSocket } from '../../support/http/raw-socket.ts'
import { createPayment } from '../../support/payments/payments.ts'

const server = sharedServer()

const mentions = (text: string) => (message: Json) => JSON.stringify(message).includes(text)

test('the stream is server-sent events', async () => {
  const account = await openAccount(server())
  const stream = await openStream(server(), account)
  expect(stream.contentType).toMatch(/^text\/event-stream/)
})

test('the stream reports every journal entry and request as it happens', async () => {
  const account = await openAccount(server())
  const stream = await openStream(server(), account)
  const { id } = await createPayment(account)
  await stream.until(message => mentions('"seq"')(message) && mentions(id)(message))
  await account.read(id)
  await stream.until(message => mentions('"GET"')(message) && mentions(`/payment_intents/${id}`)(message))
})

test('the stream reports what the clock caused', async () => {
  const account = await openAccount(server())
  const { id } = await createPayment(account)
  const stream = await openStream(server(), account)
  await account.advance('72h')
  await stream.until(mentions(id))
})

test('the stream contains nothing about other accounts', async () => {
  const merchant = await openMerchant(server())
  const stream = await openStream(server(), merchant.test)
  const foreign = await createPayment(merchant.live)
  const own = await createPayment(merchant.test)
  await stream.until(mentions(own.id))
  expect(stream.messages.filter(mentions(foreign.id))).toEqual([])
})

test('the stream shows no secret', async () => {
  const account = await openAccount(server())
  const stream = await openStream(server(), account)
  const { id } = await createPayment(account)
  await stream.until(message => mentions('"POST"')(message) && mentions('/payment_intents')(message))
  await stream.until(mentions(id))
  expect(JSON.stringify(stream.messages)).not.toContain(account.keys.secret_key)
})

test.each([['reset'], ['import']])('the stream starts again after %s', async call => {
  const account = await openAccount(server())
  await createPayment(account)
  const saved = await account.control('GET', '/export')
  const stream = await openStream(server(), account)
  const hellos = () =>
    stream.messages.filter(message => 'account' in message && 'seq' in message && !('v' in message))
  await expect.poll(() => hellos().length).toBe(1)
  if (call === 'reset') await account.control('POST', '/reset')
  else await account.control('PUT', '/import', { body: saved.body })
  await expect.poll(() => hellos().length).toBe(2)
})

const isHello = (message: Json) => 'account' in message && 'seq' in message && !('v' in message)
const entriesOf = (messages: Json[]) => messages.filter(message => 'events' in message).map(({ seq }) => seq)
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, nth) => first + nth)

test('Last-Event-ID continues with all entries after it, and then with new ones', async () => {
  const account = await openAccount(server())
  for (let nth = 0; nth < 20; nth++) await createPayment(account)
  const { seq } = await (await openStream(server(), account)).until(isHello)
  const stream = await openStream(server(), account, '', { 'last-event-id': '5' })
  expect(await stream.until(isHello)).toEqual({ account: account.id, seq, after: 5 })
  const creating = Promise.all(Array.from({ length: 30 }, () => createPayment(account)))
  await creating
  const { id } = await createPayment(account)
  const { seq: last } = await stream.until(message => 'events' in message && mentions(id)(message))
  expect(entriesOf(stream.messages)).toEqual(upTo(last, 6))
})

test('a Last-Event-ID that the account has not reached is of another history, so all of this one is sent', async () => {
  const account = await openAccount(server())
  await createPayment(account)
  const stream = await openStream(server(), account, '', { 'last-event-id': '1000' })
  const { seq, after } = await stream.until(isHello)
  expect(after).toBe(0)
  await stream.until(message => message.seq === seq && 'events' in message)
  expect(entriesOf(stream.messages)).toEqual(upTo(seq))
})

test.each(['-1', '1.5', 'abc', '99999999999999999999'])('the Last-Event-ID %s is refused', async id => {
  const account = await openAccount(server())
  const { status, body } = await account.control('GET', '/stream', { headers: { 'last-event-id': id } })
  expect(status).toBe(400)
  expect(body.error.details[0].field).toBe('Last-Event-ID')
})

test('readers that do not read are cut off, and find what they missed', async () => {
  const own = await ownServer({ args: ['--ephemeral'] })
  const account = await openAccount(own)
  const count = 5
  const { pathname } = new URL(own.controlUrl)
  const sockets = Array.from({ length: count }, () => openSocket(own.url).pause())
  for (const socket of sockets)
    socket.write(
      `GET ${pathname}/accounts/${account.id}/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${own.controlToken}\r\n\r\n`,
    )
  const measure = async () => {
    const { text } = await own.control('GET', '/metrics')
    const read = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
    return {
      open: read('paysim_streams'),
      waiting: read('paysim_stream_waiting_bytes'),
      cut: read('paysim_streams_cut_total'),
    }
  }
  await expect.poll(measure).toEqual({ open: count, waiting: 0, cut: 0 })
  const rules = Array.from({ length: 1500 }, (_, nth) => ({
    name: `rule ${nth} ${'x'.repeat(60)}`,
    outcome: { status: 'succeeded' },
  }))
  for (let measured = await measure(); measured.cut < count; measured = await measure()) {
    expect(measured.waiting).toBeLessThanOrEqual(count * 1.5 * 1024 * 1024)
    await succeeded(account.control('PUT', '/rules', { body: { rules } }))
  }
  expect(await measure()).toEqual({ open: 0, waiting: 0, cut: count })
  const [socket] = sockets
  let received = ''
  socket?.setEncoding('utf8').on('data', text => {
    received += text
  })
  socket?.resume()
  await expect.poll(() => received.endsWith('\r\n0\r\n\r\n')).toBe(true)
  const [, overflow = ''] = /event: overflow\ndata: (.*)\n/.exec(received) ?? []
  expect(JSON.parse(overflow)).toMatchObject({
    account: account.id,
    message: expect.stringContaining('1 MiB'),
  })
  const last = Number([...received.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1])
  const again = await openStream(own, account, '', { 'last-event-id': String(last) })
  const { seq, after } = await again.until(isHello)
  expect(after).toBe(last)
  expect(last).toBeLessThan(seq)
  await again.until(message => message.seq === seq && 'events' in message)
  expect(entriesOf(again.messages)).toEqual(upTo(seq, last + 1))
})
