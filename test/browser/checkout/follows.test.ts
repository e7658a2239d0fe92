import { describe, expect, test } from 'vitest'
import { noChromium } from '../../support/browser/browser.ts'
import { choose, PHONE, png, SHORT_LINK, says, useShop } from '../../support/browser/checkout-shop.ts'
import { type Server, startServer } from '../../support/gateway/server.ts'
import { claimedPort } from '../../support/http/claimed-port.ts'

/** What a page does by itself where scripts run. */

const shop = useShop()

const open = async (changes?: Record<string, unknown>, options = {}) => {
  const { id, url } = await shop().sell(changes)
  return { id, url, ...(await shop().visit(url, { ...PHONE, ...options })) }
}

describe.skipIf(noChromium)('with scripts, the page', () => {
  test('shows which rule decides and when, and jumps to that time', async () => {
    const { page } = await open({ payment_method: 'th_promptpay', merchant_reference: 'declines-1' })
    const bar = page.getByRole('complementary', { name: 'Simulator' })
    await bar.getByText('Rule “magic: declines” declines it in 30 seconds').waitFor()
    await shop().advance('10s')
    await bar.getByText('Rule “magic: declines” declines it in 20 seconds').waitFor()
    await page
      .getByRole('button', { name: 'Jump 20 seconds ahead' })
      .or(page.getByRole('button', { name: 'Jump' }))
      .click()
    await says(page, 'Payment failed')
  })

  test('allows a manual verdict on a receipt, and shows the verdict of the rule', async () => {
    const { page } = await open({ merchant_reference: 'blurry-1' })
    await choose(page, 'Thai bank transfer', { 'Your name': 'Malee Srisuk' })
    await page.getByText('Rule “blurry” rejects the next receipt 5 seconds after it is sent.').waitFor()
    await page
      .locator('#receipt-file')
      .setInputFiles({ name: 'slip.png', mimeType: 'image/png', buffer: png() })
    await page.getByRole('button', { name: 'Send the receipt' }).click()
    await page.getByText('Rule “blurry” rejects the receipt in 5 seconds').waitFor()
    await page.getByRole('button', { name: 'Reject the receipt' }).click()
    await says(page, 'Your receipt was not accepted.')
    await page
      .locator('#receipt-file')
      .setInputFiles({ name: 'slip.png', mimeType: 'image/png', buffer: png(1) })
    await page.getByRole('button', { name: 'Send the new receipt' }).click()
    await page.getByRole('button', { name: 'Accept the receipt' }).click()
    await says(page, 'Your receipt was accepted.')
    await page.getByText('Rule “blurry” approves it in 30 seconds').waitFor()
  })

  test('shows when its link has expired', async () => {
    const { page, watch } = await open(SHORT_LINK)
    watch.allow(/410/)
    await says(page, 'Confirm this payment')
    await shop().advance('15m')
    await says(page, 'This link has expired')
  })

  test('shows how the payment ended, even after the link has expired', async () => {
    const { id, page, watch } = await open(SHORT_LINK)
    watch.allow(/410/)
    await shop().advance('15m')
    await says(page, 'This link has expired')
    await page.reload()
    await says(page, 'This link has expired')
    await shop().trigger(id, 'succeed')
    await says(page, 'You approved this payment')
  })

  test('counts down the time left if the clock runs', async () => {
    const { test: account } = await shop().server.merchant({
      clock: { mode: 'real' },
      rules: [{ action: { after: '0s', expires_after: '3h' } }],
    })
    const body = {
      amount: '100',
      currency: 'THB',
      country: 'TH',
      merchant_reference: 'order-1',
      customer: {},
      payment_method: 'th_promptpay',
    }
    const made = await shop().server.as(account)('POST', '/payment_intents', { body })
    const { page } = await shop().visit('about:blank', PHONE)
    await page.clock.install()
    await page.goto(made.body.next_action.url)
    await says(page, 'Scan to pay')
    await page.clock.fastForward('10:00')
    await page.getByText(/^2:(50:00|49:\d\d)$/).waitFor()
  })

  test('copies the amount and account number', async () => {
    const { page } = await open(
      { payment_method: 'th_bank_transfer', customer: { name: 'Malee' } },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    )
    await page.getByRole('button', { name: 'Copy: Amount' }).click()
    await page.getByText('Copied').first().waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('1234.50')
    const number = await page.locator('dt:has-text("Account number") + dd .value').textContent()
    await page.getByRole('button', { name: 'Copy: Account number' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(number?.replaceAll(' ', ''))
  })

  test('checks a receipt before it is sent', async () => {
    const { page } = await open({ payment_method: 'th_bank_transfer', customer: { name: 'Malee' } })
    const file = page.locator('#receipt-file')
    const sendIt = page.getByRole('button', { name: 'Send the receipt' })
    await sendIt.click()
    await page.getByText('Please choose one image.').waitFor()
    await file.setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('GIF89a') })
    await page.getByText('This is not a JPEG or PNG image.').waitFor()
    await sendIt.click()
    const large = Buffer.concat([png(), Buffer.alloc(5 * 1024 * 1024)])
    await file.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: large })
    await page.getByText('This file is too large. The limit is 5 MB.').waitFor()
    expect(await page.locator('[data-preview]').isVisible()).toBe(false)
    await file.setInputFiles({ name: 'slip.png', mimeType: 'image/png', buffer: png() })
    await page.getByAltText('Preview of your receipt').waitFor()
    expect(await file.getAttribute('aria-invalid')).toBeNull()
    await sendIt.click()
    await says(page, 'Your receipt is being checked.')
  })

  test('keeps typed input and the open method when the page changes', async () => {
    const { id, page } = await open()
    const card = page.locator('details', { has: page.getByText('Thai bank transfer', { exact: true }) })
    await card.locator('summary').click()
    await card.getByRole('combobox').fill('krun')
    const name = card.getByLabel('Your name')
    await name.fill('Malee Srisuk')
    await name.press('ArrowLeft')
    const before = await page.locator('[data-page]').getAttribute('data-shown')
    await shop().trigger(id, 'withdraw-action')
    await says(page, 'You cannot pay here right now')
    await shop().trigger(id, 'present-action')
    await says(page, 'How would you like to pay?')
    expect(await page.locator('[data-page]').getAttribute('data-shown')).not.toBe(before)
    expect(await name.inputValue()).toBe('Malee Srisuk')
    expect(await card.getByRole('combobox').inputValue()).toBe('krun')
    expect(await card.getAttribute('open')).not.toBeNull()
  })

  test("keeps the server's message about a field when the page changes", async () => {
    const { id, page, watch } = await open()
    watch.allow(/400/)
    const card = page.locator('details', { has: page.getByText('Thai bank transfer', { exact: true }) })
    await card.locator('summary').click()
    await card.getByRole('button', { name: 'Pay with' }).click()
    await card.getByText('Please fill in this field.').waitFor()
    await shop().trigger(id, 'withdraw-action')
    await says(page, 'You cannot pay here right now')
    await shop().trigger(id, 'present-action')
    await says(page, 'How would you like to pay?')
    await card.getByText('Please fill in this field.').waitFor()
    const name = card.getByLabel('Your name')
    expect(await name.getAttribute('aria-invalid')).toBe('true')
    const described = await name.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${described}"]`).textContent()).toBe('Please fill in this field.')
    // It leaves when the field is right, and is back when it is wrong again.
    const told = page.locator(`[id="${described}"]`)
    await name.fill('Malee')
    expect([await name.getAttribute('aria-invalid'), await told.textContent()]).toEqual([null, ''])
    await name.fill('x'.repeat(300))
    expect([await name.getAttribute('aria-invalid'), await told.isVisible()]).toEqual(['true', true])
  })

  test('moves the focus to the heading when the focused element disappears', async () => {
    const { id, page } = await open({ payment_method: 'th_bank_transfer', customer: { name: 'Malee' } })
    const copies = page.getByRole('button', { name: 'Copy: Account number' })
    await copies.focus()
    const shown = await page.locator('[data-page]').getAttribute('data-shown')
    await shop().trigger(id, 'withdraw-action')
    await says(page, 'Your payment is being processed')
    expect(await page.locator('h1:focus').textContent()).toBe('Your payment is being processed')
    await shop().trigger(id, 'present-action')
    await page.locator(`[data-page]:not([data-shown="${shown}"]) h1:text("Transfer the amount")`).waitFor()
    await page.locator('h1:focus').waitFor()
  })

  test('keeps the chosen file, even if the shop cancels', async () => {
    const { id, page } = await open({ payment_method: 'th_bank_transfer', customer: { name: 'Malee' } })
    await page
      .locator('#receipt-file')
      .setInputFiles({ name: 'my-slip.png', mimeType: 'image/png', buffer: png() })
    await page.getByAltText('Preview of your receipt').waitFor()
    await shop().call('POST', `/payment_intents/${id}/cancel-pending`, { body: {} })
    await says(page, 'This payment is being cancelled')
    await page.getByText('my-slip.png').waitFor()
    await page.getByAltText('Preview of your receipt').waitFor()
    await page.getByRole('button', { name: 'Send the receipt' }).click()
    await page.getByText('Your receipt is being checked.').waitFor()
    expect((await shop().read(id)).receipt?.status).toBe('processing')
  })

  test('collapses a method and keeps what was typed there', async () => {
    const { page } = await open()
    const card = page.locator('details', { has: page.getByText('Thai bank transfer', { exact: true }) })
    await card.locator('summary').click()
    await card.getByLabel('Your name').fill('Malee')
    await card.getByRole('link', { name: 'Choose another payment method' }).click()
    expect(await card.getAttribute('open')).toBeNull()
    await card.locator('summary:focus').click()
    expect(await card.getByLabel('Your name').inputValue()).toBe('Malee')
  })

  test('reconnects when the server is back', async () => {
    const port = String(await claimedPort())
    const first = await startServer({ args: ['--port', port] })
    const { call } = first
    const body = {
      amount: '100',
      currency: 'THB',
      country: 'TH',
      merchant_reference: 'order-1',
      customer: {},
      payment_method: 'th_promptpay',
    }
    const made = await call('POST', '/payment_intents', { body })
    const { page, watch } = await shop().visit(made.body.next_action.url, PHONE)
    watch.allow(
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/,
    )
    await says(page, 'Scan to pay')
    await first.kill()
    await page.getByText('The connection is lost.').waitFor()
    let second: Server | undefined
    try {
      second = await startServer({ dataDir: first.dataDir, args: ['--port', port] })
      await page.getByText('The connection is lost.').waitFor({ state: 'hidden' })
      await second.control('POST', `/accounts/default.test/payments/${made.body.id}/succeed`, { body: {} })
      await says(page, 'Payment received')
    } finally {
      await second?.stop()
    }
  })
})
