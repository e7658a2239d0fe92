import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { noChromium } from '../../support/browser/browser.ts'
import {
  choose,
  DESKTOP,
  PHONE,
  png,
  RETURN_URL,
  type Shop,
  says,
  useShop,
} from '../../support/browser/checkout-shop.ts'

/** From the merchant's create to the link back, as payers go it. */

const WAYS: [string, BrowserContextOptions][] = [
  ['on a phone', PHONE],
  ['on a desktop', DESKTOP],
  // Only the style sheet knows how wide a page is: without scripts, one width is enough.
  ['on a phone without scripts', { ...PHONE, javaScriptEnabled: false }],
]

const shop = useShop()

describe.skipIf(noChromium).each(WAYS)('%s', (_, options) => {
  const scripted = options.javaScriptEnabled !== false

  const open = async (changes?: Parameters<Shop['sell']>[0]) => {
    const { id, url } = await shop().sell(changes)
    return { id, ...(await shop().visit(url, options)) }
  }

  /** With scripts, the page updates automatically; without, the payer reloads it. */
  const look = async (page: Page) => {
    if (!scripted) await page.getByRole('link', { name: 'Check again' }).click()
  }

  test('a payer pays by QR code and returns to exactly the return_url', async () => {
    const { id, page, watch } = await open()
    await says(page, 'How would you like to pay?')
    await choose(page, 'PromptPay QR')
    await says(page, 'Scan to pay')
    const image = page.getByAltText('QR code for this payment')
    // It has its size once it is there.
    await expect.poll(async () => (await image.boundingBox())?.width).toBeGreaterThan(200)
    await shop().trigger(id, 'succeed')
    await look(page)
    await says(page, 'Payment received')

    const back = page.getByRole('link', { name: 'Back to the shop' })
    expect(await back.getAttribute('href')).toBe(RETURN_URL)
    watch.allow(/went to another machine: https:\/\/shop\.example/)
    await page.route('https://shop.example/**', route => route.fulfill({ body: 'thanks' }))
    const [request] = await Promise.all([page.waitForRequest(/shop\.example/), back.click()])
    expect([request.method(), request.url(), request.headers().referer]).toEqual([
      'GET',
      RETURN_URL,
      undefined,
    ])
  })

  test('a payer approves at the bank and returns', async () => {
    const { id, page, watch } = await open()
    watch.allow(/400/)
    await choose(page, 'Thai mobile banking')
    await page.getByText('Please choose your bank.').waitFor()
    await pickBank(page, 'K PLUS', 'kbank')
    await page.getByRole('button', { name: 'Pay with Thai mobile banking' }).click()
    await says(page, 'Confirm with K PLUS (Kasikornbank)')
    await page.getByRole('link', { name: 'Continue to K PLUS (Kasikornbank)' }).click()
    await says(page, 'Confirm this payment')
    await page.getByRole('main').getByRole('button', { name: 'Approve' }).click()
    await says(page, 'Payment received')
    expect(await shop().read(id)).toMatchObject({ status: 'succeeded', payment_method: 'th_mobile_banking' })
  })

  /** The bank is searched for where that works, and picked from the list where not. */
  const pickBank = async (page: Page, name: string, code: string) => {
    if (!scripted) {
      await page.getByLabel('Your bank').and(page.locator('[aria-invalid]')).selectOption(code)
      return
    }
    const field = page.getByRole('combobox', { name: 'Bank' }).and(page.locator('[aria-invalid]'))
    await field.fill(name)
    await field.press('Enter')
  }

  test('a payer declines at the bank', async () => {
    const bank = { payment_method: 'th_mobile_banking', payment_method_options: { bank: 'scb' } }
    const { id, page } = await open(bank)
    await page.getByRole('link', { name: /^Continue to/ }).click()
    await page.getByRole('main').getByRole('button', { name: 'Decline' }).click()
    await says(page, 'Payment failed')
    expect(await page.getByRole('link', { name: 'Back to the shop' }).getAttribute('href')).toBe(RETURN_URL)
    expect((await shop().read(id)).status).toBe('failed')
  })

  test('a payer makes the payment expire', async () => {
    const { id, page } = await open({ payment_method: 'th_promptpay' })
    await page.getByRole('button', { name: 'Make it expire' }).click()
    await says(page, 'Payment expired')
    expect((await shop().read(id)).status).toBe('expired')
  })

  test('a payer sends a receipt, sees why it is rejected, and sends another', async () => {
    const { id, page } = await open({ merchant_reference: 'blurry-1' })
    await choose(page, 'Thai bank transfer', { 'Your name': 'Malee Srisuk' })
    await says(page, 'Transfer the amount')
    await send(page, 'Send the receipt')
    await says(page, 'Your receipt is being checked.')
    await shop().advance('5s')
    await look(page)
    await says(page, 'Your receipt was not accepted.')
    expect(await page.getByRole('alert').textContent()).toContain('Amount is not legible')
    await send(page, 'Send the new receipt')
    await says(page, 'Your receipt is being checked.')
    await shop().advance('5s')
    await look(page)
    await says(page, 'Your receipt was accepted.')
    await shop().advance('30s')
    await look(page)
    await says(page, 'Payment received')
    expect(await shop().read(id)).toMatchObject({ status: 'succeeded', receipt: { status: 'submitted' } })
  })

  const send = async (page: Page, button: string) => {
    const file = { name: 'slip.png', mimeType: 'image/png', buffer: Buffer.from(png()) }
    await page.locator('#receipt-file').setInputFiles(file)
    await page.getByRole('button', { name: button, exact: true }).click()
  }

  test('a payer sees that the shop cancels', async () => {
    const { id, page } = await open({ payment_method: 'th_promptpay' })
    await shop().call('POST', `/payment_intents/${id}/cancel-pending`, { body: {} })
    await look(page)
    await page.getByText('The shop has asked to cancel this payment.').waitFor()
    await shop().advance('5s')
    await look(page)
    await says(page, 'Payment cancelled')
    expect(await page.getByRole('link', { name: 'Back to the shop' }).getAttribute('href')).toBe(RETURN_URL)
  })
})
