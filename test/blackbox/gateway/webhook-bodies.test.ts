import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Account, accountOf, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { scratchDirectory } from '../../support/gateway/serve-process.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import { claimedPort } from '../../support/http/claimed-port.ts'
import { createPayment, hostedBody, postPayment } from '../../support/payments/payments.ts'
import { type Delivery, listen, settle } from '../../support/webhooks/receiver.ts'

// A merchant may compare the attempts of an event, so each of them sends the same bytes.

const anotherPort = async () => ['--port', String(await claimedPort())]

async function anotherContract(): Promise<string[]> {
  const file = join(await scratchDirectory(), 'contract.yaml')
  await writeFile(file, 'fields.absent: omit\nhosted.page: 30m\n')
  return ['--contract', file]
}

const bodies = (deliveries: Delivery[], id: string) =>
  deliveries.filter(({ event }) => event.id === id).map(({ text }) => text)

async function redeliverAll(account: Account): Promise<void> {
  for (const { id } of await rows(account.control('GET', '/webhook-deliveries')))
    await succeeded(account.control('POST', `/webhook-deliveries/${id}/redeliver`))
  await settle(account)
}

const WAYS = [
  ['after a clean stop', 'stop'],
  ['after a crash', 'kill'],
] as const

test.each(WAYS)(
  '%s, with another address and another contract, a retry sends the same body',
  async (_, end) => {
    const first = await ownServer({ args: await anotherPort() })
    const account = await openAccount(first)
    const receiver = await listen(account, ['payment.created'])
    receiver.reply(() => ({ status: 500 }))
    await succeeded(postPayment(account, hostedBody()))
    await createPayment(account)
    await settle(account)
    const events = await rows(account.control('GET', '/events'))
    expect(receiver.deliveries).toHaveLength(2)
    expect(receiver.deliveries[0]?.event.data.next_action.url).toContain(first.url)

    await first[end]()
    const second = await ownServer({
      dataDir: first.dataDir,
      args: [...(await anotherPort()), ...(await anotherContract())],
    })
    expect(second.url).not.toBe(first.url)
    const same = accountOf(second, account.keys)
    await same.advance('5s')
    await same.advance('5m')
    await redeliverAll(same)
    for (const { id } of events) {
      const sent = bodies(receiver.deliveries, id)
      expect(sent).toHaveLength(4)
      expect(new Set(sent).size, sent.join('\n')).toBe(1)
    }
    for (const { event, attempts } of await rows(same.control('GET', '/webhook-deliveries')))
      for (const { request } of attempts)
        expect([request.body]).toEqual(bodies(receiver.deliveries, event).slice(0, 1))
  },
)

test('an export includes the body, so another server sends the same bytes', async () => {
  const account = await openAccount(await ownServer())
  const receiver = await listen(account, ['payment.created'])
  await succeeded(postPayment(account, hostedBody()))
  await settle(account)
  const archive = await succeeded(account.control('GET', '/export'))

  const elsewhere = await openAccount(await ownServer({ args: await anotherContract() }))
  await succeeded(elsewhere.control('PUT', '/import', { body: archive }))
  await redeliverAll(elsewhere)
  const [sent, again] = receiver.deliveries
  expect(again?.headers['webhook-id']).toBe(sent?.headers['webhook-id'])
  expect(again?.text).toBe(sent?.text)
})

test('a webhook that is due when the server starts contains the address of the server', async () => {
  const first = await ownServer()
  const account = await openAccount(first, { clock: { mode: 'real', rate: 1_000_000 } })
  const receiver = await listen(account, ['payment.created'])
  // Ten days are 864 ms of this clock.
  await succeeded(
    account.control('PUT', '/faults', { body: { faults: [{ on: 'webhook', type: 'delay', delay: '10d' }] } }),
  )
  await succeeded(postPayment(account, hostedBody()))
  const created = Date.now()
  await first.kill()
  await expect.poll(() => Date.now() - created).toBeGreaterThan(900)
  await ownServer({ dataDir: first.dataDir })
  const [delivery] = await receiver.arrived(1)
  expect(delivery?.event.data.next_action.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/checkout\//)
})

test('a receiver’s answer cannot make its log entry unreadable', async () => {
  const account = await openAccount(await ownServer())
  const receiver = await listen(account)
  receiver.reply(() => ({ status: 500, body: 'see "https://shop.example/?code=abc"' }))
  const { id } = await createPayment(account)
  await succeeded(account.control('POST', `/payments/${id}/succeed`))
  await settle(account)
  const [delivery] = await rows(account.control('GET', '/webhook-deliveries'))
  const history = await rows(account.control('GET', `/history/${delivery?.id}`))
  expect(JSON.stringify(history)).toContain('?code=…')
})
