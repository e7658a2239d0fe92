import { expect, test } from 'vitest'
import { image, promptPay, simulator, standingAccount } from '../support/library/library.ts'

const DAY_MS = 86_400_000

test('an account has its own merchant, keys and client', async () => {
  const sim = await simulator()
  const account = await sim.createAccount()
  expect(account).toMatchObject({ id: `${account.merchant}.test`, environment: 'test', baseUrl: sim.url })
  expect(account.publicKey).toMatch(/^pk_test_/)
  expect(account.secretKey).toMatch(/^sk_test_/)
  const created = await account.client.payments.create(promptPay())
  expect(created).toMatchObject({ object: 'payment_intent', environment: 'test', status: 'pending' })
  expect(await account.payments.list()).toMatchObject([{ id: created.id, route: { method: 'th_promptpay' } }])
})

test('an account does not see what another account does', async () => {
  const sim = await simulator()
  const [one, other] = await Promise.all([sim.createAccount(), sim.createAccount()])
  const { id } = await one.client.payments.create(promptPay())
  await expect(other.client.payments.get(id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await other.payments.list()).toEqual([])
  await one.payments.succeed(id)
  await one.webhooks.next({ id })
  expect(other.webhooks.all()).toEqual([])
})

test("a merchant's other account has its settings when it is first called", async () => {
  const sim = await simulator()
  const rules = [{ name: 'never', match: { kind: 'payment' as const }, outcome: 'manual' as const }]
  const { merchant } = await sim.createAccount({ clock: 'virtual', seed: 7, rules })
  const other = await sim.account(`${merchant}.live`)
  expect(await other.clock.get()).toMatchObject({ mode: 'virtual', now: '2026-01-01T00:00:00.000Z' })
  expect(await other.rules.get()).toMatchObject({ rules: [{ name: 'never' }] })
  expect(await other.control.webhookEndpoints.list()).toEqual([])
  await other.reset()
  expect(await other.rules.get()).toMatchObject({ rules: [{ name: 'never' }] })
})

test('both accounts of a merchant begin their time when it is made, where time has another speed', async () => {
  const sim = await simulator()
  const one = await sim.createAccount({ clock: { mode: 'real', rate: 1_000_000 } })
  const aheadOf = async ({ clock }: typeof one) => Date.parse((await clock.get()).now) - Date.now()
  await expect.poll(() => aheadOf(one)).toBeGreaterThan(7 * DAY_MS)
  expect(await aheadOf(await sim.account(`${one.merchant}.live`))).toBeGreaterThan(DAY_MS)
})

test('an account that is first called while its merchant is removed is gone', async () => {
  const sim = await simulator()
  const { merchant, remove } = await sim.createAccount()
  const other = sim.control.account(`${merchant}.live`)
  const answers = await Promise.allSettled([remove(), ...Array.from({ length: 20 }, () => other.rules.get())])
  expect(answers[0]).toMatchObject({ status: 'fulfilled' })
  for (const { status } of answers) expect(['fulfilled', 'rejected']).toContain(status)
  await expect(other.rules.get()).rejects.toMatchObject({ status: 404 })
})

test('settings apply to the account', async () => {
  const sim = await simulator()
  const account = await sim.createAccount({
    id: 'acme',
    name: 'Acme Store',
    environment: 'live',
    checkoutModes: ['hosted'],
    clock: { mode: 'real', rate: '60x' },
    rules: [{ name: 'at once', outcome: { after: '0s', status: 'succeeded' } }],
    webhooks: false,
  })
  expect(account.id).toBe('acme.live')
  expect(account.publicKey).toMatch(/^pk_live_/)
  expect(await account.clock.get()).toMatchObject({ mode: 'real', rate: 60 })
  expect(await account.rules.get()).toMatchObject({ standard: false, rules: [{ name: 'at once' }] })
  expect(await sim.control.merchants.get('acme')).toMatchObject({ name: 'Acme Store' })
  await expect(account.client.payments.create(promptPay())).rejects.toMatchObject({
    code: 'checkout_mode_not_allowed',
  })
  expect(() => account.webhooks.url).toThrow('without webhooks')
  await expect(account.webhooks.next()).rejects.toThrow('without webhooks')
  await expect(sim.createAccount({ id: 'acme' })).rejects.toThrow('Merchant acme exists')
})

test('invalid settings are refused, and leave nothing behind', async () => {
  const sim = await simulator()
  const rules = [{ name: 'odd', outcom: 'manual' }]
  await expect(sim.createAccount({ id: 'odd', rules })).rejects.toMatchObject({
    code: 'validation_failed',
    details: [{ field: expect.stringContaining('rules.0') }],
  })
  await expect(sim.account('odd.test')).rejects.toMatchObject({ code: 'not_found' })
})

test('closing an account removes the merchant that was made for it', async () => {
  const sim = await simulator()
  const account = await sim.createAccount()
  const { url } = account.webhooks
  await Promise.all([account.close(), account.close()])
  await expect(sim.control.merchants.get(account.merchant)).rejects.toMatchObject({ status: 404 })
  expect(await fetch(url, { method: 'POST' })).toMatchObject({ status: 410 })
})

test('removing an account removes its merchant, even one that a call made, and the others stay', async () => {
  const sim = await simulator()
  const [made, other] = await Promise.all([sim.createAccount(), sim.createAccount()])
  const again = await sim.account(made.id, { webhooks: true })
  await Promise.all([again.remove(), again.remove()])
  const merchants = (await sim.control.merchants.list()).map(({ id }) => id)
  expect(merchants).toEqual(['default', other.merchant])
  await expect(made.client.payments.create(promptPay())).rejects.toMatchObject({ code: 'unauthorized' })
  // Nothing is left to remove, which is what was wanted.
  await made.remove()
  await expect(made.client.payments.create(promptPay())).rejects.toThrow('closed')
})

test('the texts of a removed account are not kept', async () => {
  const sim = await simulator()
  const keptBytes = async () =>
    Number(/kept_bytes\{what="rendered records"\} (\d+)/.exec(await sim.control.metrics())?.[1])
  const before = await keptBytes()
  const account = await sim.createAccount()
  await account.client.payments.create(promptPay())
  expect(await keptBytes()).toBeGreaterThan(before)
  await account.remove()
  expect(await keptBytes()).toBe(before)
})

test('what is counted of a removed account is forgotten too', async () => {
  const sim = await simulator()
  const account = await sim.createAccount()
  await account.client.payments.create(promptPay())
  expect(await sim.control.metrics()).toContain(account.id)
  await account.remove()
  expect(await sim.control.metrics()).not.toContain(account.id)
})

test('closing an account that existed before leaves it in place', async () => {
  const sim = await simulator()
  const account = await sim.account('default.test', { webhooks: true })
  const { id } = await account.client.payments.create(promptPay())
  await account.payments.succeed(id)
  expect(await account.webhooks.next()).toMatchObject({ type: 'payment.succeeded', data: { id } })
  await account.close()
  const again = await sim.account('default.test')
  expect(await again.payments.get(id)).toMatchObject({ status: 'succeeded' })
  expect(await again.control.webhookEndpoints.list()).toEqual([])
  await expect(sim.account('default.production')).rejects.toThrow('default.production is not an account')
})

test('a reset empties the account, and its webhooks continue', async () => {
  const account = await standingAccount()
  const first = await account.client.payments.create(promptPay())
  await account.payments.succeed(first.id)
  await account.webhooks.next()
  await account.reset()
  expect(await account.payments.list()).toEqual([])
  expect(account.webhooks.all()).toEqual([])
  const second = await account.client.payments.create(promptPay())
  await account.payments.fail(second.id)
  expect(await account.webhooks.next()).toMatchObject({ type: 'payment.failed', problem: null })
})

test('an account is exported as JSON, and imported again', async () => {
  const account = await standingAccount()
  const { id } = await account.client.payments.create(promptPay())
  await account.assets.upload(image())
  const archive = JSON.parse(JSON.stringify(await account.export()))
  await account.payments.succeed(id)
  await account.webhooks.next()
  await account.import(archive)
  expect(await account.payments.get(id)).toMatchObject({ status: 'pending' })
  // Its next ids are others than those that it gave before the import.
  expect(await account.export()).toEqual({ ...archive, seed: expect.stringContaining(`${archive.seed}\n`) })
  await account.payments.succeed(id)
  expect(await account.webhooks.next({ id })).toMatchObject({ problem: null })
})
