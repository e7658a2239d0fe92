import { expect, test } from 'vitest'
import { paysim, promptPay, simulator, standingAccount } from '../support/library/library.ts'

/** The first line of an error's stack that is code. */
async function firstLine(of: Promise<unknown>): Promise<string> {
  const error = await of.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(error instanceof Error)) throw new Error('it did not fail')
  return error.stack?.split('\n').find(line => /^\s+at /.test(line)) ?? ''
}

test('the error of a call points at the line of the test that made the call', async () => {
  const { client, payments, clock, webhooks } = await standingAccount()
  const { id } = await client.payments.create(promptPay())
  const lines = [
    await firstLine(client.payments.get('pi_000000000000000000000000')),
    await firstLine(client.payments.create({ ...promptPay(), amount: 'much' })),
    await firstLine(client.payments.wait(id, { timeoutMs: 1 })),
    await firstLine(payments.acceptReceipt(id)),
    await firstLine(clock.set({ mode: 'virtual', now: '2001-01-01T00:00:00Z' })),
    await firstLine(webhooks.next({ type: 'payment.succeeded' }, { timeoutMs: 1 })),
  ]
  for (const line of lines) expect(line).toContain('call-sites.test.ts')
})

/** The first line of code in the stack of what a function throws that awaits in its own way. */
const thrownBy = (awaiting: () => Promise<unknown>) => firstLine(awaiting())

test('it does so however the call is awaited, and over a connection', async () => {
  const sim = await simulator()
  const { controlUrl, controlToken } = sim
  const elsewhere = await paysim.connectSimulator({ controlUrl, controlToken })
  const { id, client, payments } = await sim.createAccount()
  const { payments: remote } = await elsewhere.account(id)
  const closed = paysim.createClient({
    baseUrl: 'http://127.0.0.1:1',
    publicKey: 'pk',
    secretKey: 'sk',
    retries: 0,
  })
  const none = 'pi_000000000000000000000000'
  const lines = [
    await thrownBy(() => payments.get(none).then(({ status }) => status)),
    await thrownBy(async () => {
      await Promise.all([client.payments.get(none), remote.get(none)])
    }),
    await thrownBy(async () => (await remote.get(none)).id),
    await thrownBy(async () => await client.payments.get(none).answer()),
    await thrownBy(async () => await closed.payments.get(none)),
    await thrownBy(async () => await elsewhere.account('nobody.test')),
  ]
  for (const line of lines) expect(line).toContain('call-sites.test.ts')
  await Promise.all([elsewhere.stop(), closed.close()])
})

test('a wait that ends with its account points there too', async () => {
  const account = await standingAccount()
  const waiting = thrownBy(async () => await account.webhooks.next())
  await account.close()
  expect(await waiting).toContain('call-sites.test.ts')
})
