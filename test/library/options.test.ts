import { expect, test } from 'vitest'
import { image, paysim, promptPay, simulator, standingAccount } from '../support/library/library.ts'

/** As somebody without a compiler writes it. */
const wrong = (options: unknown) => options as never

test('a misspelt option is refused, and the right one is suggested', async () => {
  await expect(paysim.startSimulator(wrong({ sed: 1 }))).rejects.toThrow(
    'startSimulator() has no option sed; did you mean seed?',
  )
  expect(() => paysim.createClient(wrong({ baseURL: 'http://127.0.0.1:1' }))).toThrow('did you mean baseUrl?')
  const sim = await simulator()
  await expect(sim.createAccount(wrong({ clok: 'virtual' }))).rejects.toThrow('did you mean clock?')
  await expect(sim.account('default.test', wrong({ webhook: true }))).rejects.toThrow(
    'did you mean webhooks?',
  )
  const account = await sim.createAccount()
  await expect(account.webhooks.next({}, wrong({ timeout: 1 }))).rejects.toThrow('did you mean timeoutMs?')
  await expect(paysim.startSimulator(wrong(7))).rejects.toThrow(
    'startSimulator() takes an object of options, not 7',
  )
})

test('the compiler and the call both refuse an unknown event', async () => {
  const account = await standingAccount()
  // @ts-expect-error there is no such event
  await expect(account.webhooks.next({ type: 'payment.paid' })).rejects.toThrow(
    'there is no event payment.paid; did you mean payment.succeeded?',
  )
  // @ts-expect-error nor is there among several
  await expect(account.webhooks.next({ type: ['payment.suceeded'] })).rejects.toThrow(
    'did you mean payment.succeeded?',
  )
})

test.each([
  [5000, '5000 ms is "5000ms"'],
  [{}, 'a duration such as "5s"'],
  [undefined, 'a duration such as "5s"'],
  [null, 'a duration such as "5s"'],
  [{ by: '5s', to: '2031-01-01T00:00:00Z' }, 'one of'],
])('clock.advance(%j) says what it expects', async (goal, says) => {
  const account = await standingAccount()
  const before = (await account.clock.get()).now
  await expect((async () => account.clock.advance(wrong(goal)))()).rejects.toThrow(says)
  expect((await account.clock.get()).now).toBe(before)
})

test('a call refuses an unknown option, and sends nothing', async () => {
  const account = await standingAccount()
  const { client } = account
  const refusals: [call: () => Promise<unknown>, says: string][] = [
    [() => client.methods.list(wrong({}), wrong({ signals: 1 })), 'methods.list() has no option signals'],
    [
      () => client.payments.create(promptPay(), wrong({ idempotencykey: 'k' })),
      'did you mean idempotencyKey?',
    ],
    [
      () => client.payments.get('pi_1', wrong({ sginal: 1 })),
      'payments.get() has no option sginal; did you mean signal?',
    ],
    [() => client.payments.cancel('pi_1', wrong({ key: 'k' })), 'it takes signal, idempotencyKey'],
    [() => client.payments.wait('pi_1', wrong({ timeout: 1 })), 'did you mean timeoutMs?'],
    [
      () => client.payments.submitReceipt('pi_1', wrong({ file: image(), fileName: 'a' })),
      'did you mean filename?',
    ],
    [() => client.payments.submitReceipt('pi_1', wrong({ assetID: 'a' })), 'did you mean assetId?'],
    [() => client.payouts.list({}, wrong({ limit: 1 })), 'payouts.list() has no option limit'],
    [() => client.payouts.pages({}, wrong({ cusor: 'a' })).next(), 'did you mean cursor?'],
    [() => client.payouts.cancel('po_1', wrong({ reasons: 'a' })), 'did you mean reason?'],
    [() => client.request('GET', '/payout_intents', wrong({ querry: {} })), 'did you mean query?'],
    [() => account.payments.list(wrong({ limits: 1 })), 'did you mean limit?'],
    [() => account.payouts.list(wrong({ curser: 'a' })), 'did you mean cursor?'],
    [() => account.payments.fail('pi_1', wrong({ failure_cod: 'a' })), 'failure_cod'],
    [() => account.assets.upload(image(), wrong({ knd: 'other' })), 'did you mean kind?'],
    [() => account.clock.set(wrong({ mode: 'virtual', nwo: '2031-01-01T00:00:00Z' })), 'nwo'],
    [() => account.clock.advance(wrong({ by: '5s', mx: '1s' })), 'mx'],
    [() => account.control.webhookEndpoints.add(wrong({ url: account.webhooks.url, event: [] })), 'event'],
    [() => paysim.connectSimulator(wrong({ controlURL: 'http://127.0.0.1:1' })), 'did you mean controlUrl?'],
  ]
  for (const [call, says] of refusals) await expect(call()).rejects.toThrow(says)
  expect(() => account.webhooks.respond(wrong({ stauts: 503 }))).toThrow('did you mean status?')
  expect(await account.payments.list()).toEqual([])
})

test('the events of an endpoint are typed', async () => {
  const account = await standingAccount()
  const { webhookEndpoints } = account.control
  const { url } = account.webhooks
  expect((await webhookEndpoints.add({ url, events: ['payment.created', '*'] })).events).toEqual([
    'payment.created',
    '*',
  ])
  // @ts-expect-error there is no such event
  await expect(webhookEndpoints.add({ url, events: ['payment.paid'] })).rejects.toThrow(
    'must be one of payment.succeeded',
  )
  const sim = await simulator()
  await expect(
    // @ts-expect-error nor is there here
    sim.control.merchants.create({ webhooks: [{ url, events: ['payment.paid'] }] }),
  ).rejects.toThrow('must be one of payment.succeeded')
})
