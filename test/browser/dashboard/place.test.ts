import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { noChromium } from '../../support/browser/browser.ts'
import { type Desk, useDesks } from '../../support/browser/desk.ts'

const COUNT = 400
const ROW = 250

const scrolled = (page: Page) => page.locator('.scroller').evaluate(element => element.scrollTop)
const inFocus = (page: Page) => page.locator(':focus').getAttribute('aria-label')
const isAt = (page: Page, row: number) => page.locator(`[data-at="${row}"]:focus`).waitFor()

describe.skipIf(noChromium)('a place in a long list', () => {
  const openDesk = useDesks()
  let desk: Desk

  beforeAll(async () => {
    desk = await openDesk()
    for (let nth = 0; nth < 120; nth++) await desk.call('GET', `/payment_intents/nothing-${nth}`)
    for (let batch = 0; batch < COUNT / 40; batch++)
      await Promise.all(
        Array.from({ length: 40 }, (_, nth) =>
          desk.payOut({ merchant_reference: `number-${batch * 40 + nth}` }),
        ),
      )
  })

  /** Somebody has walked to a row by the keyboard. */
  async function walked(): Promise<Page> {
    const { page } = await desk.open('payouts')
    await page.getByRole('status').filter({ hasText: 'payouts' }).waitFor()
    await page.locator('.scroller').evaluate((element, top) => element.scrollTo(0, top), ROW * 44)
    await page.locator(`[data-at="${ROW}"]`).focus()
    await page.keyboard.press('ArrowDown')
    await isAt(page, ROW + 1)
    return page
  }

  test.each([
    ['Back', (page: Page) => page.goBack()],
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['the link above', (page: Page) => page.locator('main a.back').click()],
  ])('is restored after Enter and %s', async (_, goBack) => {
    const page = await walked()
    const [top, name] = [await scrolled(page), await inFocus(page)]
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await desk.payOut({ merchant_reference: 'came-meanwhile' })
    await goBack(page)
    await isAt(page, ROW + 1)
    expect([await scrolled(page), await inFocus(page)]).toEqual([top, name])
    await page.getByRole('button', { name: /newer/ }).waitFor()
  })

  test('survives a reload of the opened record, with its filters', async () => {
    const { page } = await desk.open('payouts?status=requires_approval')
    await page.locator('[data-at="3"]').focus()
    const name = await inFocus(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[data-at]:focus').waitFor()
    expect(new URL(page.url()).search).toBe('?status=requires_approval')
    expect(await inFocus(page)).toBe(name)
  })

  test('Escape first closes a dialog, then leaves the record', async () => {
    const { id } = await desk.payOut()
    const { page } = await desk.open(`payouts/${id}`)
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(page.url()).toContain(id)
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { level: 1, name: 'Payouts' }).waitFor()
  })

  test.each([
    ['Back', (page: Page) => page.goBack()],
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['the link above', (page: Page) => page.locator('main a.back').click()],
  ])('is restored in the request list after Enter and %s, with the older rows loaded', async (_, goBack) => {
    const { page } = await desk.open('requests', { viewport: { width: 390, height: 844 } })
    const rows = page.locator('tbody tr')
    const older = page.getByRole('button', { name: /^Show 50 older of / })
    await older.waitFor()
    expect(await rows.count()).toBe(50)
    await older.click()
    await rows.nth(99).waitFor()
    await rows.nth(80).getByRole('link').focus()
    const [top, name] = [await page.evaluate('scrollY'), await inFocus(page)]
    expect(top).toBeGreaterThan(800)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Answer' }).waitFor()
    await goBack(page)
    await page.locator('a.path:focus').waitFor()
    expect([await page.evaluate('scrollY'), await inFocus(page)]).toEqual([top, name])
    expect(await rows.count()).toBe(100)
  })

  test('a row shows its amount, its status and its result', async () => {
    await desk.pay({ merchant_reference: 'order-7', amount: '123450' })
    const { id } = await desk.pay({ merchant_reference: 'order-8' })
    await desk.control('POST', `/payments/${id}/fail`, { failure_code: 'insufficient_funds' })
    const { page } = await desk.open('payments')
    await page.getByRole('link', { name: 'Payment order-7, 1,234.50 THB, Pending' }).waitFor()
    await page
      .getByRole('link', { name: 'Payment order-8, 1,234.50 THB, Failed, insufficient_funds' })
      .waitFor()
    const { page: payouts } = await desk.open('payouts')
    await payouts
      .getByRole('link', { name: /^Payout number-\d+, 50\.00 THB, Requires approval$/ })
      .first()
      .waitFor()
  })
})
