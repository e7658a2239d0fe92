import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { noChromium } from '../../support/browser/browser.ts'
import { type Desk, shows, useDesks } from '../../support/browser/desk.ts'

/** What the keyboard finds and does from any page. */
describe.skipIf(noChromium)('the palette', () => {
  const openDesk = useDesks()
  let desk: Desk

  beforeAll(async () => {
    desk = await openDesk({
      rules: [{ name: 'never met', match: { merchant_reference: 'nothing' }, outcome: { status: 'failed' } }],
    })
    for (const nth of [1, 2, 3, 4, 5, 6])
      await desk.pay({ merchant_reference: `order-${nth}`, customer: { name: `Anong ${nth}` } })
    await desk.payOut({ merchant_reference: 'refund-of-anong' })
  })

  const field = (of: Page) => of.getByRole('combobox', { name: /Find records/ })
  const option = (of: Page, name: string | RegExp) => of.getByRole('dialog').getByRole('option', { name })
  /** Opens it with a key, types, and waits for a choice, which must be the active one once it was walked to. */
  async function choose(of: Page, keys: string, text: string, name: string | RegExp): Promise<void> {
    await of.keyboard.press(keys)
    await field(of).waitFor()
    await of.keyboard.type(text)
    await option(of, name).first().waitFor()
    const dialog = of.getByRole('dialog')
    for (let step = await dialog.getByRole('option').count(); step > 0; step--) {
      const is = (await option(of, name).first().getAttribute('aria-selected')) === 'true'
      if (is) break
      await of.keyboard.press('ArrowDown')
    }
    const id = await dialog.getByRole('option', { selected: true }).getAttribute('id')
    expect(await field(of).getAttribute('aria-activedescendant')).toBe(id)
    await of.keyboard.press('Enter')
    await expect.poll(() => of.getByRole('dialog', { name: 'Find anything' }).count()).toBe(0)
  }
  const heading = (of: Page, name: string | RegExp) => of.getByRole('heading', { level: 1, name }).waitFor()

  test('finds records and pages, acts, and leaves text alone', { timeout: 240_000 }, async () => {
    const { page } = await desk.open('overview')
    await choose(page, 'Control+k', 'anong 3', /^order-3.*1,234\.50 THB · Pending · Anong 3/)
    await heading(page, '1,234.50 THB')
    await shows(page, 'order-3')
    await choose(page, '/', 'of-anong', /^refund-of-anong/)
    await heading(page, '50.00 THB')
    await choose(page, '/', 'order-', 'All 6 like “order-”')
    await page.getByRole('status').filter({ hasText: '6 payments' }).waitFor()
    await choose(page, '/', 'never', /^never met/)
    await page.locator('.card.is-wanted').getByRole('heading', { name: 'never met' }).waitFor()
    await choose(page, '/', 'cloc', /^Clock/)
    await heading(page, 'Clock')
    await choose(page, '/', 'anong 4', /^POST \/payment_intents/)
    await heading(page, 'POST /payment_intents')

    // What the shown page can do, and what others can.
    await choose(page, '/', 'anong 5', /^order-5/)
    await heading(page, '1,234.50 THB')
    // Another action has this word too, and is there before why the payment is open.
    await page.getByRole('button', { name: 'Succeed' }).waitFor()
    await choose(page, '/', 'succee', /^Succeed/)
    await shows(page, 'Succeed: succeeded')
    const paid = (await desk.control('GET', '/payments')).data.filter(
      ({ status }: { status: string }) => status === 'succeeded',
    )
    expect(paid).toMatchObject([{ merchant_reference: 'order-5' }])
    for (const [action, title] of [
      ['New payment', 'New payment'],
      ['New payout', 'New payout'],
      ['New request', 'Send a request'],
      ['Add endpoint', 'Add a webhook endpoint'],
      ['Send event', /Send/],
      ['Add rule', /Add/],
      ['Add fault', /Add/],
    ] as const) {
      await choose(page, 'Control+k', action, new RegExp(`^${action}`))
      await page.getByRole('dialog').getByRole('heading', { name: title }).first().waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    }
    await choose(page, '/', 'decline next', /^Decline the next payment/)
    await shows(page, 'Rule added: decline the next payment')
    await choose(page, '/', 'lose answer', /^Lose the next answer/)
    await shows(page, 'Fault added: lose the next answer')
    expect((await desk.control('GET', '/rules')).rules[0].name).toBe('decline the next payment')
    expect((await desk.control('GET', '/faults')).faults).toMatchObject([{ type: 'reset', times: 1 }])
    await desk.control('DELETE', '/faults')
    await choose(page, '/', 'step', /^Step to the next timer/)
    await shows(page, /The time is .*; \d+ timers? fired/)
    await choose(page, '/', 'dark', /^Dark theme/)
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await choose(page, '/', '.live', /\.live/)
    await page.waitForURL(/\.live\//)
    await page.goBack()
    await page.waitForURL(/\.test\//)

    // Keys go to pages and through rows.
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label") ?? ""')
    // On a busy machine the second key may come too late for the first.
    const goes = (key: string, title: string) =>
      expect
        .poll(async () => {
          await page.keyboard.press('g')
          await page.keyboard.press(key)
          return page.getByRole('heading', { level: 1 }).textContent()
        })
        .toBe(title)
    await goes('p', 'Payments')
    await page.getByRole('status').filter({ hasText: '6 payments' }).waitFor()
    await page.keyboard.press('j')
    await expect.poll(focused).toMatch(/order-6/)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await expect.poll(focused).toMatch(/order-5/)
    await page.keyboard.press('Enter')
    await heading(page, '1,234.50 THB')
    await goes('r', 'Requests')
    await page
      .getByRole('link', { name: /payment_intents/ })
      .first()
      .waitFor()
    await page.keyboard.press('j')
    await expect.poll(focused).toMatch(/^POST \/payment_intents/)
    // What is typed into a field is text.
    await page.getByLabel('Search', { exact: true }).fill('x')
    await page.keyboard.type('gp?/')
    expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe('xgp?/')
    expect(page.url()).toContain('/requests')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('?')
    await page.getByRole('switch', { name: 'Keys without Ctrl' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('?')
    await page.keyboard.press('Control+k')
    await field(page).waitFor()
    await page.keyboard.press('Control+k')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })
})
