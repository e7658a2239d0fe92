import { expect, test } from 'vitest'
import { bankTransfer, image, payout, promptPay, standingAccount } from '../support/library/library.ts'

test('the clock advances by a time, to a time, and until idle', async () => {
  const { clock, client } = await standingAccount()
  const { now } = await clock.get()
  expect(await clock.advance('5s')).toEqual({ now: later(now, 5), fired: 0, idle: true })
  expect(await clock.advance({ by: '1m' })).toMatchObject({ now: later(now, 65) })
  expect(await clock.advance({ to: new Date(later(now, 70)) })).toMatchObject({ now: later(now, 70) })
  await client.payments.create(promptPay())
  expect(await clock.advance({ until: 'idle', max: '1s' })).toMatchObject({ idle: false })
  expect(await clock.advance({ until: 'idle' })).toMatchObject({ idle: true })
  expect(await clock.set('real')).toMatchObject({ mode: 'real' })
  await expect(clock.advance('1s')).rejects.toMatchObject({ code: 'invalid_state', status: 422 })
  await expect(clock.set({ mode: 'virtual', now })).rejects.toMatchObject({ status: 400 })
})

const later = (now: string, seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString()

test('a test acts as payer, provider and operator', async () => {
  const { client, payments, clock } = await standingAccount()
  const end = async (act: (id: string) => Promise<{ status: string }>) => {
    const { id } = await client.payments.create(promptPay())
    return (await act(id)).status
  }
  expect(await end(payments.succeed)).toBe('succeeded')
  expect(await end(payments.expire)).toBe('expired')
  expect(await end(payments.withdrawAction)).toBe('processing')
  const { id } = await client.payments.create(promptPay())
  await payments.withdrawAction(id)
  expect(await payments.presentAction(id)).toMatchObject({ status: 'pending' })
  const reason = { failure_code: 'insufficient_funds', failure_message: 'There is not enough' }
  expect(await payments.fail(id, reason)).toMatchObject({ status: 'failed', ...reason })
  await expect(payments.trigger(id, 'succeed')).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(payments.confirmCancel(id)).rejects.toThrow(/invalid_state/)
  await clock.advance({ until: 'idle' })
})

test('a receipt is uploaded, rejected, replaced by an asset, and accepted', async () => {
  const { client, payments, assets } = await standingAccount({ rules: [{ receipt: 'manual' }] })
  const { id } = await client.payments.create(bankTransfer())
  await client.payments.submitReceipt(id, { file: image() })
  expect(await payments.rejectReceipt(id, { failure_message: 'Amount is not legible' })).toMatchObject({
    receipt: { status: 'rejected', failure_message: 'Amount is not legible' },
  })
  const asset = await assets.upload(image(), { kind: 'payment_receipt', filename: 'receipt.png' })
  await client.payments.submitReceipt(id, { assetId: asset.id })
  expect(await payments.acceptReceipt(id)).toMatchObject({
    receipt: { status: 'submitted' },
    receipt_image: { asset_id: asset.id, digest: asset.digest, submissions: 2 },
  })
})

test('rules decide outcomes, and count their uses', async () => {
  const { client, rules, clock } = await standingAccount()
  expect(await rules.get()).toMatchObject({ standard: true })
  await rules.replace([{ name: 'one', match: { merchant_reference: 'order-*' } }])
  const quick = { name: 'quick', times: 1, outcome: { after: '5s', status: 'succeeded' as const } }
  expect((await rules.prepend([quick])).rules.map(({ name }) => name)).toEqual(['quick', 'one'])
  const { id } = await client.payments.create(promptPay())
  await clock.advance('5s')
  expect(await client.payments.get(id)).toMatchObject({ status: 'succeeded' })
  expect((await rules.get()).used).toEqual([1, 0])
  expect(await rules.reset()).toMatchObject({ standard: true })
})

test('faults happen until they are used up or cleared', async () => {
  const { client, faults } = await standingAccount()
  await faults.replace([{ on: 'POST /payment_intents', times: 1, type: 'status', status: 400 }])
  await expect(client.payments.create(promptPay())).rejects.toThrow()
  await expect(client.payments.create(promptPay())).resolves.toMatchObject({ status: 'pending' })
  expect(await faults.get()).toMatchObject({ faults: [{ type: 'status' }], used: [1] })
  expect(await faults.clear()).toMatchObject({ faults: [] })
  await expect(faults.replace([{ on: 'POST /payment_intent', type: 'reset' }])).rejects.toThrow(
    /did you mean/,
  )
})

test('providers fail, and routes are replaced', async () => {
  const { client, catalogue } = await standingAccount()
  const { providers, methods, routes } = await catalogue.get()
  for (const { id } of providers) await catalogue.setHealth(id, false)
  await expect(client.payments.create(promptPay())).rejects.toMatchObject({ code: 'routing_unavailable' })
  await catalogue.replace({ providers, methods, routes: routes.filter(({ country }) => country === 'TH') })
  expect((await catalogue.get()).routes.every(({ country }) => country === 'TH')).toBe(true)
})

test('payouts are created, approved and ended', async () => {
  const { payouts, webhooks, client } = await standingAccount()
  const one = await payouts.create(payout('payout-1'))
  const other = await payouts.create({ ...payout('payout-2'), status: 'processing' })
  expect(await payouts.approve(one.id)).toMatchObject({ status: 'processing' })
  expect(await payouts.succeed(one.id)).toMatchObject({ status: 'succeeded' })
  expect(await payouts.fail(other.id, { failure_code: 'account_closed' })).toMatchObject({
    failure_code: 'account_closed',
  })
  expect((await client.payouts.list()).data.map(({ id }) => id)).toEqual(
    (await payouts.list()).map(({ id }) => id),
  )
  expect(await payouts.get(one.id)).toMatchObject({ merchant_reference: 'payout-1' })
  expect(await webhooks.next({ type: 'payout.failed', 'recipient.bank_code': 'bbl' })).toMatchObject({
    data: { id: other.id },
  })
})

test('history, calls, requests, events, deliveries and timers can be read', async () => {
  const account = await standingAccount()
  const { id } = await account.client.payments.create(promptPay())
  await account.payments.succeed(id)
  const { id: event } = await account.webhooks.next()
  const types = (await account.history(id)).flatMap(({ events }) => events.map(({ type }) => type))
  expect(types).toEqual(expect.arrayContaining(['PaymentCreated', 'PaymentSucceeded']))
  expect(await account.providerCalls()).toMatchObject([{ call: 'start', payment: id }])
  expect(await account.requests()).toContainEqual(
    expect.objectContaining({ method: 'POST', path: '/payment_intents', status: 201 }),
  )
  expect(await account.events()).toMatchObject([{ id: event, type: 'payment.succeeded' }])
  await account.clock.advance('0s')
  const [delivery] = await account.deliveries()
  expect(delivery).toMatchObject({ event, status: 'delivered', attempts: [{ response: { status: 204 } }] })
  await account.redeliver(delivery?.id ?? '')
  expect(await account.webhooks.next()).toMatchObject({ id: event, delivery: 2 })
  await account.client.payments.create(promptPay())
  expect(await account.timers()).toContainEqual(
    expect.objectContaining({ command: expect.objectContaining({ type: expect.any(String) }) }),
  )
})
