import { beforeAll, describe, expect, test } from 'vitest'
import { type LeakScan, startLeakScan } from '../../support/disk/leak-scan.ts'
import { type Account, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { plainCatalogue, SENTINEL } from '../../support/gateway/plain-catalogue.ts'
import { fileServer } from '../../support/gateway/shared-server.ts'
import { formsOf, submit } from '../../support/payments/page-forms.ts'
import {
  attachAsset,
  cancelPending,
  hostedBody,
  paymentBody,
  postPayment,
  readPayment,
  storeAsset,
  trigger,
  uploadReceipt,
} from '../../support/payments/payments.ts'
import { addPayout, cancelPayout, listPayouts, movePayout } from '../../support/payments/payouts.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

// Every provider, route, local code and bank mapping of this merchant's catalogue has the sentinel in it.

const server = fileServer()

const METHODS = ['th_promptpay', 'th_bank_transfer', 'th_mobile_banking']
const MODES = ['merchant', 'hosted']

let account: Account
let scan: LeakScan

/** The account, with everything that its merchant is told noted down. */
beforeAll(async () => {
  const merchant = await openMerchant(server(), { catalogue: plainCatalogue(SENTINEL) })
  scan = startLeakScan()
  account = { ...merchant.test, call: scan.record(merchant.test.call) }
})

const optionsFor = (method: unknown) => (method === 'th_bank_transfer' ? { bank: 'bbl' } : undefined)

const create = ({ payment_method = 'th_promptpay', ...changes }: Record<string, unknown>) =>
  postPayment(
    account,
    paymentBody({ payment_method, payment_method_options: optionsFor(payment_method), ...changes }),
  )

async function noteUrl(label: string, url: string): Promise<string> {
  const response = await fetch(url)
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  scan.note(label, response.headers, text)
  return text
}

test('the control surface does show the sentinel', async () => {
  expect((await account.control('GET', '/catalogue')).text).toContain(SENTINEL)
  await succeeded(create({}))
  expect((await account.control('GET', '/payments')).text).toContain(SENTINEL)
})

describe('the merchant API reveals nothing about the provider', () => {
  test.each(MODES)('by discovery in mode %s, with and without a pin', async mode => {
    for (const pin of ['', `&provider=${SENTINEL}-one`, `&provider=${SENTINEL}-two`, '&provider=nobody']) {
      const query = `amount=25000&country=TH&currency=THB&checkout_mode=${mode}`
      await succeeded(account.call('GET', `/payment_methods/options?${query}${pin}`))
    }
    scan.expectNothingOf(SENTINEL)
  })

  test.each(MODES.flatMap(mode => METHODS.map(method => [mode, method] as const)))(
    'by a payment in mode %s with %s, from creation to its end',
    async (mode, method) => {
      const payment = await succeeded(create({ checkout_mode: mode, payment_method: method }))
      if (method === 'th_bank_transfer') {
        await uploadReceipt(account, payment.id, `key-${payment.id}`)
        await succeeded(trigger(account, payment.id, 'reject-receipt'))
        await attachAsset(account, payment.id, (await storeAsset(account, 5)).id)
      }
      await cancelPending(account, payment.id)
      await readPayment(account, payment.id)
      await succeeded(trigger(account, payment.id, 'fail'))
      await readPayment(account, payment.id)
      scan.expectNothingOf(SENTINEL)
    },
  )

  test('by an error', async () => {
    await create({ amount: '1' })
    await create({ payment_method: 'th_unknown' })
    await create({ payment_method: 'th_bank_transfer', payment_method_options: { bank: 'nobank' } })
    await create({ payment_method: 'th_bank_transfer', payment_method_options: {} })
    await create({ country: 'VN', currency: 'VND' })
    await create({ amount: 1, currency: null })
    await succeeded(
      account.control('PATCH', `/catalogue/providers/${SENTINEL}-one`, { body: { healthy: false } }),
    )
    await create({})
    await succeeded(
      account.control('PATCH', `/catalogue/providers/${SENTINEL}-one`, { body: { healthy: true } }),
    )
    const redirect = await succeeded(create({ payment_method: 'th_mobile_banking' }))
    const cancel = await cancelPending(account, redirect.id)
    expect(cancel.body.error.code).toBe('provider_capability_unsupported')
    await uploadReceipt(account, redirect.id, 'refused')
    scan.expectNothingOf(SENTINEL)
  })

  test('by a QR image or a redirect', async () => {
    const qr = await succeeded(create({ payment_method: 'th_promptpay' }))
    await noteUrl('QR image', qr.next_action.qr_image_url)
    const redirect = await succeeded(create({ payment_method: 'th_mobile_banking' }))
    const page = await noteUrl('redirect page', redirect.next_action.url)
    await pressEverything(page, redirect.next_action.url)
    scan.expectNothingOf(SENTINEL)
  })

  test.each([undefined, ...METHODS])('by the hosted page of a payment with method %s', async method => {
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
    const { payment_method: chosen } = await readPayment(account, payment.id)
    expect(METHODS, 'the forms were real: a method is chosen').toContain(chosen)
    scan.expectNothingOf(SENTINEL)
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
    scan.expectNothingOf(SENTINEL)
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
    for (const method of METHODS) {
      for (const end of ['succeed', 'fail']) {
        const { id } = await succeeded(create({ payment_method: method }))
        await succeeded(trigger(account, id, end))
      }
    }
    const { id } = await succeeded(create({}))
    await cancelPending(account, id)
    await account.pass('5s')
    await settle(account)
    expect(receiver.deliveries.length).toBeGreaterThanOrEqual(14)
    for (const { event, headers, text } of receiver.deliveries)
      scan.note(event.type, Object.entries(headers), text)
    scan.expectNothingOf(SENTINEL)
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
