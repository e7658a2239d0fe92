import { expect, test } from 'vitest'
import { openStream } from '../../support/gateway/event-stream.ts'
import { type Json, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
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
