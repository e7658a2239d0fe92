import { describe, expect, test } from 'vitest'
import { LIST_PAGES } from '../../../src/web/dashboard/pages/page-names.ts'
import { noChromium } from '../../support/browser/browser.ts'
import { addressOf, type Desk, follow, shows, useDesks } from '../../support/browser/desk.ts'

/** No member that the catalogue's schema lets be left out. */
const LEAN_CATALOGUE = {
  providers: [{ id: 'siam' }],
  methods: [{ code: 'qr', label: 'QR', category: 'bank_transfer' }],
  routes: [
    {
      id: 'siam-qr',
      provider: 'siam',
      method: 'qr',
      local_code: 'Q',
      environments: ['test', 'live'],
      country: 'TH',
      currency: 'THB',
      checkout_modes: ['hosted', 'merchant'],
      action: 'display_qr_code',
      cancel_pending: false,
    },
  ],
}

/** What each answer of the merchant API may leave out, it leaves out. */
const LEAN_CONTRACT = {
  'fields.absent': 'omit',
  'methods.payer_keys': 'relevant',
  'methods.banks_empty': 'omit',
  'list.last_cursor': 'omit',
  'create.merchant_reference': 'optional',
  'payment.method_after_choice': 'keep_null',
  'errors.body': 'problem',
}

const WITHOUT_BODIES = `(() => {
  const main = document.querySelector('main').cloneNode(true)
  for (const body of main.querySelectorAll('pre')) body.remove()
  return main.textContent
})()`

/** Each of these pages comes up with what it is about; what a page does wrong fails the test by itself. */
async function expectAllShown(desk: Desk, paths: readonly string[]): Promise<void> {
  const { page } = await desk.open('overview')
  for (const path of paths) {
    await follow(page, addressOf(desk.server, `${desk.account}/${path}`))
    await expect.poll(() => page.locator('.loading').count()).toBe(0)
    const alerts = await page.getByRole('alert').allTextContents()
    expect([path, ...alerts]).toEqual([path])
    // A body that is shown as it was sent may well hold a null.
    const text = await page.evaluate(WITHOUT_BODIES)
    expect([path, String(text).match(/undefined|null|NaN|Invalid Date|\[object/)?.[0]]).toEqual([
      path,
      undefined,
    ])
  }
}

describe.skipIf(noChromium)('every page works with minimal data', () => {
  const openDesk = useDesks(LEAN_CONTRACT)

  test('in an empty account', { timeout: 120_000 }, async () => {
    await expectAllShown(await openDesk({ rules: [] }), LIST_PAGES)
  })

  test('with minimal catalogue, payments, payouts, rules, faults and endpoints', {
    timeout: 120_000,
  }, async () => {
    const desk = await openDesk({
      catalogue: LEAN_CATALOGUE,
      rules: [{ match: { kind: 'payment', amount: '2' } }, {}],
      webhooks: [{ url: 'http://127.0.0.1:9/nobody' }],
    })
    await desk.control('PUT', '/faults', { faults: [{ on: '*', nth: 99, type: 'reset' }] })
    const lean = { merchant_reference: undefined, customer: {}, amount: '1' }
    const direct = await desk.pay({ ...lean, payment_method: 'qr' })
    const hosted = await desk.pay({ ...lean, checkout_mode: 'hosted', payment_method: undefined })
    const payout = await desk.payOut({
      recipient: { bank_code: 'x', holder_name: 'x', account_number: '1234' },
    })
    await desk.control('POST', `/payments/${direct.id}/withdraw-action`)
    await desk.control('POST', `/payments/${hosted.id}/fail`)
    await desk.control('POST', '/clock/advance', { by: '0s' })
    const [delivery] = (await desk.control('GET', '/webhook-deliveries')).data
    const [request] = (await desk.control('GET', '/requests')).data
    await expectAllShown(desk, [
      ...LIST_PAGES,
      `payments/${direct.id}`,
      `payments/${hosted.id}`,
      `payouts/${payout.id}`,
      `webhooks/${delivery.id}`,
      `requests/${request.request_id}`,
      'payments?status=unheard-of',
    ])
    const { page } = await desk.open('catalogue')
    await shows(page, 'any amount of THB')
  })
})

describe.skipIf(noChromium)('a page that throws', () => {
  const openDesk = useDesks()

  test('shows the error, and the other pages still work', async () => {
    const desk = await openDesk()
    const { page, watch } = await desk.open('overview')
    watch.allow(/Cannot read properties/)
    await page.route('**/catalogue', route => route.fulfill({ json: { providers: [{}] } }))
    await page.getByRole('link', { name: 'Catalogue' }).click()
    const told = page.getByRole('alert')
    await told.getByText('This page could not be displayed').waitFor()
    await told.getByText(/Cannot read properties of undefined/).waitFor()
    await page.getByRole('link', { name: 'Payments' }).click()
    await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
    expect(await told.count()).toBe(0)

    await page.goBack()
    await told.waitFor()
    await page.unroute('**/catalogue')
    await told.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('switch').first().waitFor()
    expect(await told.count()).toBe(0)
  })

  test('an invalid date in the URL does not throw', async () => {
    const desk = await openDesk()
    const { page, watch } = await desk.open('payments')
    watch.allow(/400/)
    await page.goto(addressOf(desk.server, `${desk.account}/payments?created_after=yesterday`))
    await shows(page, /created_after must be a date-time/)
    await page.getByRole('button', { name: 'Clear' }).click()
    await shows(page, 'No payments yet')
  })
})
