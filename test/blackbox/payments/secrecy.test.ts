import { beforeAll, expect, test } from 'vitest'
import type { Account } from '../../support/gateway/account.ts'
import { LONG_NAMED, MAIN, SENTINEL, SICK, SPARE } from '../../support/gateway/probe-catalogue.ts'
import { useGateway } from '../../support/gateway/use-gateway.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { upload } from '../../support/payments/receipts.ts'
import { discovering, paying } from '../../support/payments/requests.ts'

/**
 * No provider's name, local code or route id leaves the gateway. `account.call` scans every answer of the whole
 * suite; here are the ways on which one would leak most easily, and the pages and images that payers see.
 */

const gateway = useGateway()
let account: Account

beforeAll(async () => {
  account = await gateway.account()
})

test('the control surface does show provider names, so the scan can fail', async () => {
  expect((await account.control('GET', '/catalogue')).text).toMatch(SENTINEL)
})

test.each([MAIN, SPARE, SICK, LONG_NAMED])('no provider name in a discovery pinned to %s', async provider => {
  const answer = await account.call('GET', discovering({ provider, checkout_mode: 'merchant' }))
  expect(answer.status).toBe(200)
})

test.each([
  ['an unhealthy provider', paying('probe_sick')],
  ['a bank without execution', paying('probe_banks', { payment_method_options: { bank: 'omega' } })],
  ['a bank at an unhealthy provider', paying('probe_banks', { payment_method_options: { bank: 'delta' } })],
  ['an amount outside the limits', paying('probe_narrow', { amount: '901' })],
  ['missing fields of the route', paying('probe_form', { customer: {} })],
])('no provider name in the refusal of %s', async (_, body) => {
  expect((await account.call('POST', '/payment_intents', { body })).status).toBeGreaterThanOrEqual(400)
})

test('no provider name in any answer over the life of a payment', async () => {
  const { id } = await account.pay('probe_receipt')
  await upload(account, id, png())
  await account.trigger(id, 'reject-receipt')
  await account.read(id)
  await account.cancel(id)
  await account.trigger(id, 'confirm-cancel')
  expect((await account.read(id)).status).toBe('failed')
})

test('no provider name in the pages for payers, before or after the end', async () => {
  for (const method of [undefined, 'probe_banks', 'probe_qr', 'probe_transfer']) {
    const bank = method === 'probe_banks' ? { payment_method_options: { bank: 'alpha' } } : {}
    const made = await account.payHosted({ payment_method: method, ...bank })
    await expectSecret(made.next_action.url)
    await account.trigger(made.id, 'succeed')
    await expectSecret(made.next_action.url)
  }
  await expectSecret((await account.pay('probe_redirect')).next_action.url)
})

test('no provider name in a QR code', async () => {
  const { qr_data, qr_image_url } = (await account.pay('probe_qr')).next_action
  expect(qr_data).not.toMatch(SENTINEL)
  await expectSecret(qr_image_url)
})

async function expectSecret(url: string) {
  expect(url).not.toMatch(SENTINEL)
  const page = await fetch(url)
  expect(page.status).toBe(200)
  expect(JSON.stringify([...page.headers])).not.toMatch(SENTINEL)
  expect(await page.text()).not.toMatch(SENTINEL)
}
