import { beforeAll, describe, expect, test } from 'vitest'
import { type LeakScan, startLeakScan } from '../../support/disk/leak-scan.ts'
import { type Account, accountOf, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import {
  LONG_NAMED,
  MAIN,
  MARKS,
  probeCatalogue,
  SENTINEL,
  SICK,
  SPARE,
} from '../../support/gateway/probe-catalogue.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { formsOf, submit } from '../../support/payments/page-forms.ts'
import {
  attachAsset,
  hostedBody,
  postPayment,
  storeAsset,
  uploadReceipt,
} from '../../support/payments/payments.ts'
import { addPayout, cancelPayout, listPayouts, movePayout } from '../../support/payments/payouts.ts'
import { discovering, paying } from '../../support/payments/requests.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

/**
 * No provider's name, local code, route id or bank mapping leaves the gateway. Every answer of the merchant API is
 * searched in every test; here are the ways on which one would leak most easily, also in another encoding, and what
 * payers and webhook receivers see.
 */

const server = sharedServer()

const THAI = ['th_promptpay', 'th_bank_transfer', 'th_mobile_banking']
const MODES = ['merchant', 'hosted']

let account: Account
let scan: LeakScan

/** The account, with everything that its merchant is told noted down. The hosted page offers the Thai methods. */
beforeAll(async () => {
  const offered = probeCatalogue(routes =>
    routes.map(route => (THAI.includes(route.method) ? route : { ...route, checkout_modes: ['merchant'] })),
  )
  const { test } = await openMerchant(server(), { catalogue: offered })
  scan = startLeakScan()
  account = accountOf(server(), test.keys, scan.record)
})

function expectNoLeak(): void {
  for (const mark of MARKS) scan.expectNothingOf(mark)
}

const optionsFor = (method: unknown) => (method === 'th_bank_transfer' ? { bank: 'bbl' } : undefined)

const create = (method: string, changes: Record<string, unknown> = {}) =>
  postPayment(account, paying(method, { payment_method_options: optionsFor(method), ...changes }))

async function noteUrl(label: string, url: string): Promise<string> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  scan.note(label, response.headers, text)
  return text
}

test('the control surface does show the marks, so the scan can fail', async () => {
  expect((await account.control('GET', '/catalogue')).text).toMatch(SENTINEL)
  await succeeded(create('th_promptpay'))
  expect((await account.control('GET', '/payments')).text).toMatch(SENTINEL)
})

describe('nobody outside the control surface is told about a provider', () => {
  test.each(MODES)('by discovery in mode %s, with and without a pin', async mode => {
    for (const provider of [undefined, MAIN, SPARE, SICK, LONG_NAMED, 'nobody'])
      await succeeded(account.call('GET', discovering({ provider, checkout_mode: mode })))
    expectNoLeak()
  })

  test.each(MODES.flatMap(mode => THAI.map(method => [mode, method] as const)))(
    'by a payment in mode %s with %s, from creation to its end',
    async (mode, method) => {
      const payment = await succeeded(create(method, { checkout_mode: mode }))
      if (method === 'th_bank_transfer') {
        await uploadReceipt(account, payment.id, `key-${payment.id}`)
        await succeeded(account.trigger(payment.id, 'reject-receipt'))
        await attachAsset(account, payment.id, (await storeAsset(account, 5)).id)
      }
      await account.cancel(payment.id)
      await account.read(payment.id)
      await succeeded(account.trigger(payment.id, 'fail'))
      await account.read(payment.id)
      expectNoLeak()
    },
  )

  test.each([
    ['an amount below all limits', paying('th_promptpay', { amount: '1' })],
    ['an unknown method', paying('th_unknown')],
    ['an unknown bank', paying('th_bank_transfer', { payment_method_options: { bank: 'nobank' } })],
    ['another country', paying('th_promptpay', { country: 'VN', currency: 'VND' })],
    ['fields of the wrong type', paying('th_promptpay', { amount: 1, currency: null })],
    ['an unhealthy provider', paying('probe_sick')],
    ['a bank without execution', paying('probe_banks', { payment_method_options: { bank: 'omega' } })],
    ['a bank at an unhealthy provider', paying('probe_banks', { payment_method_options: { bank: 'delta' } })],
    ['an amount outside the limits of the route', paying('probe_narrow', { amount: '901' })],
    ['missing fields of the route', paying('probe_form', { customer: {} })],
  ])('by the refusal of %s', async (_, body) => {
    expect((await postPayment(account, body)).status).toBeGreaterThanOrEqual(400)
    expectNoLeak()
  })

  test('by what the provider of a payment cannot do', async () => {
    const redirect = await succeeded(create('th_mobile_banking'))
    const cancel = await account.cancel(redirect.id)
    expect(cancel.body.error.code).toBe('provider_capability_unsupported')
    await uploadReceipt(account, redirect.id, 'refused')
    expectNoLeak()
  })

  test('by a QR image or a redirect', async () => {
    const qr = await account.pay('th_promptpay')
    await noteUrl('QR image', qr.next_action.qr_image_url)
    const redirect = await account.pay('th_mobile_banking')
    const page = await noteUrl('redirect page', redirect.next_action.url)
    await pressEverything(page, redirect.next_action.url)
    expectNoLeak()
  })

  test.each([undefined, ...THAI])('by the hosted page of a payment with method %s', async method => {
    const payment = await succeeded(
      postPayment(
        account,
        hostedBody({
          payment_method: method,
          payment_method_options: optionsFor(method),
          return_url: 'https://shop.example/back',
        }),
      ),
    )
    const page = await noteUrl('hosted page', payment.next_action.url)
    await pressEverything(page, payment.next_action.url)
    await noteUrl('hosted page, later', payment.next_action.url)
    const { payment_method: chosen } = await account.read(payment.id)
    expect(THAI, 'the forms were real: a method is chosen').toContain(chosen)
    await account.trigger(payment.id, 'succeed')
    await noteUrl('hosted page, at the end', payment.next_action.url)
    expectNoLeak()
  })

  test('by payouts', async () => {
    const [paid, failed, cancelled] = [
      await addPayout(account),
      await addPayout(account),
      await addPayout(account),
    ]
    await succeeded(movePayout(account, paid.id, 'approve'))
    await succeeded(movePayout(account, failed.id, 'approve'))
    await succeeded(movePayout(account, failed.id, 'fail'))
    await cancelPayout(account, cancelled.id)
    await cancelPayout(account, paid.id)
    await listPayouts(account)
    expectNoLeak()
  })

  test('by a webhook, in its body or headers', async () => {
    const events = [
      'payment.created',
      'payment.updated',
      'payment.succeeded',
      'payment.failed',
      'payment.cancelled',
    ]
    const receiver = await listen(account, [...events, 'payout.updated', 'payout.succeeded'])
    for (const method of THAI) {
      for (const end of ['succeed', 'fail']) {
        const { id } = await succeeded(create(method))
        await succeeded(account.trigger(id, end))
      }
    }
    const { id } = await account.pay('th_promptpay')
    await account.cancel(id)
    await account.advance('5s')
    await settle(account)
    expect(receiver.deliveries.length).toBeGreaterThanOrEqual(14)
    for (const { event, headers, text } of receiver.deliveries)
      scan.note(event.type, Object.entries(headers), text)
    expectNoLeak()
  })

  test('the scan saw more than 50 texts', () => {
    expect(scan.seen()).toBeGreaterThan(50)
  })
})

/** Submits every form of the page, and every form of what that answers. */
async function pressEverything(page: string, url: string, depth = 2): Promise<void> {
  if (depth === 0) return
  for (const form of formsOf(page, url)) {
    if (!form.action.startsWith(server().url)) continue
    const response = await submit(form)
    const text = await response.text()
    scan.note(`${form.method} form`, response.headers, text)
    expect(response.status).toBeLessThan(500)
    await pressEverything(text, response.url, depth - 1)
  }
}
