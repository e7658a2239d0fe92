import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAccessible, expectContrast } from '../../support/browser/accessible.ts'
import { noChromium } from '../../support/browser/browser.ts'
import { DESKTOP, PHONE, png, SHORT_LINK, type Shop, useShop } from '../../support/browser/checkout-shop.ts'

/** Every state that a page has, looked at by axe: light on a phone, dark on a desktop; and in Thai. */

const shop = useShop()

const TRANSFER = { payment_method: 'th_bank_transfer', customer: { name: 'Malee Srisuk' } }
const QR = { payment_method: 'th_promptpay' }
const REDIRECT = { payment_method: 'th_mobile_banking', payment_method_options: { bank: 'scb' } }

interface State {
  /** What the shop sells; a hosted payment without a method if nothing is said. */
  readonly sells?: Record<string, unknown>
  /** What happened before the page is opened. */
  readonly before?: (id: string, shop: Shop, url: string) => Promise<unknown>
  /** What the payer does on it. */
  readonly does?: (page: Page) => Promise<unknown>
  readonly allows?: RegExp
}

const unfold = (page: Page) => page.locator('summary').first().click()
const unfoldTransfer = (page: Page) => page.getByText('Thai bank transfer', { exact: true }).click()
const receipt = { name: 'slip.png', mimeType: 'image/png', buffer: png() }

async function upload(_: string, __: Shop, url: string): Promise<void> {
  const body = new FormData()
  body.set('act', 'receipt')
  body.set('file', new Blob([Uint8Array.from(png())], { type: 'image/png' }), 'slip.png')
  await fetch(url, { method: 'POST', body, redirect: 'manual' })
}

const cancel = (id: string, { call }: Shop) =>
  call('POST', `/payment_intents/${id}/cancel-pending`, { body: {} })
const after =
  (...triggers: string[]) =>
  async (id: string, { trigger }: Shop) => {
    for (const name of triggers) await trigger(id, name)
  }

const STATES: Record<string, State> = {
  'the choice': {},
  'the fields of a method': { does: unfoldTransfer },
  'the search for a bank': {
    does: async page => {
      await unfoldTransfer(page)
      await page.locator('details[open]').getByRole('combobox').fill('krung')
    },
  },
  'the search for a bank that is not there': {
    does: async page => {
      await unfoldTransfer(page)
      await page.locator('details[open]').getByRole('combobox').fill('xyz')
    },
  },
  'fields that were not taken': {
    does: async page => {
      await unfoldTransfer(page)
      await page.locator('details[open] button.primary').click()
      await page.locator('.problem').waitFor()
    },
    allows: /400/,
  },
  'the QR code': { sells: QR },
  'transfer and receipt': { sells: TRANSFER },
  'a receipt about to be sent': {
    sells: TRANSFER,
    does: async page => {
      await page.locator('#receipt-file').setInputFiles(receipt)
      await page.locator('[data-preview]').waitFor()
    },
  },
  'an invalid receipt': {
    sells: TRANSFER,
    does: async page => {
      await page.locator('#receipt-file').setInputFiles({ ...receipt, buffer: Buffer.from('no image') })
      await page.locator('#receipt-problem:not(:empty)').waitFor()
    },
  },
  'a receipt being checked': { sells: TRANSFER, before: upload },
  'a receipt that was rejected': {
    sells: TRANSFER,
    before: async (id, at, url) => {
      await upload(id, at, url)
      await at.trigger(id, 'reject-receipt')
    },
    does: unfold,
  },
  'a receipt that was accepted': {
    sells: TRANSFER,
    before: async (id, at, url) => {
      await upload(id, at, url)
      await at.trigger(id, 'accept-receipt')
    },
  },
  'the way to the bank': { sells: REDIRECT },
  'the bank': { sells: REDIRECT, does: page => page.locator('main a.primary').click() },
  'a cancellation in flight': { sells: QR, before: cancel },
  'a cancellation while a receipt is required': { sells: TRANSFER, before: cancel, does: unfold },
  processing: { sells: QR, before: after('withdraw-action') },
  succeeded: { sells: QR, before: after('succeed') },
  failed: { sells: QR, before: after('fail') },
  expired: { sells: QR, before: after('expire') },
  cancelled: {
    sells: QR,
    before: async (id, at) => {
      await cancel(id, at)
      await at.trigger(id, 'confirm-cancel')
    },
  },
}

describe.skipIf(noChromium)('axe finds no problem', () => {
  test.each(Object.keys(STATES))('in: %s', async name => {
    const { sells, before, does, allows } = STATES[name] ?? {}
    const { id, url } = await shop().sell(sells)
    await before?.(id, shop(), url)
    const { page, watch } = await shop().visit(url, PHONE)
    if (allows) watch.allow(allows)
    await does?.(page)
    await expectAccessible(page, name)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    // Only colours and the layout are others there.
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize(DESKTOP.viewport)
    await expectContrast(page, `${name}, dark, on a desktop`)
    const heading = headingOf(await page.content())
    const switchTo = await page.getByRole('link', { name: 'ไทย' }).getAttribute('href')
    const thai = await (await fetch(new URL(switchTo ?? '', url))).text()
    expect(thai).toContain('<html lang="th">')
    expect(headingOf(thai)).toMatch(/\p{Script=Thai}/u)
    expect(headingOf(thai)).not.toBe(heading)
  })

  test.each([
    ['forged', 403, 'This link is not valid', 'ลิงก์นี้ไม่ถูกต้อง'],
    ['unknown', 404, 'No such payment', 'ไม่พบรายการชำระเงิน'],
    ['ended', 410, 'This link has expired', 'ลิงก์นี้หมดอายุแล้ว'],
  ])('on the page for a link that is %s', async (about, status, heading, thai) => {
    const { url } = await shop().sell(about === 'ended' ? SHORT_LINK : {})
    const urls = {
      forged: `${url}x`,
      unknown: url.replace(/\/checkout\/[^/]+/, '/checkout/nobody.test'),
      ended: url,
    }
    if (about === 'ended') await shop().advance('15m')
    const { page, watch } = await shop().visit('about:blank', PHONE)
    watch.allow(new RegExp(String(status)))
    const answer = await page.goto(urls[about as keyof typeof urls])
    expect(answer?.status()).toBe(status)
    expect(await page.locator('h1').textContent()).toBe(heading)
    await expectAccessible(page, heading)
    await page.getByRole('link', { name: 'ไทย' }).click()
    await page.getByRole('heading', { name: thai }).waitFor()
    await expectAccessible(page, thai)
  })
})

const headingOf = (page: string) => /<h1[^>]*>([^<]*)/.exec(page)?.[1]
