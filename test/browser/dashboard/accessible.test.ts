import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible } from '../../support/browser/accessible.ts'
import { noChromium } from '../../support/browser/browser.ts'
import { addressOf, type Desk, png, press, useDesks } from '../../support/browser/desk.ts'

const PHONE = { viewport: { width: 390, height: 844 } }

/** In both themes: between them, only the colours differ. */
async function expectBothAccessible(page: Page, state: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await expectAccessible(page, state)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page, `${state}, dark`, ['color-contrast'])
}

/** Every page as it is with something in it, and what opens on it. */
const PAGES: [path: string, opens?: (page: Page) => Promise<unknown>][] = [
  ['overview'],
  ['payments'],
  ['payments', page => page.getByText('More', { exact: true }).click()],
  ['payments?q=nothing-like-it'],
  ['payments/RICH'],
  ['payments/RICH', page => press(page, 'With planned')],
  ['payments/RICH', page => press(page, 'Fail…')],
  ['payments/QR'],
  ['payouts'],
  ['payouts', page => press(page, 'New payout')],
  ['payouts/PAYOUT'],
  ['requests'],
  ['webhooks'],
  ['webhooks', page => press(page, 'Add endpoint')],
  ['rules'],
  ['rules', page => press(page, 'Edit all')],
  ['faults'],
  ['catalogue'],
  ['clock'],
  ['account'],
  ['account', page => press(page, 'Reset…')],
  ['no-such-page'],
]
const EMPTY = ['overview', 'payments', 'payouts', 'requests', 'webhooks', 'faults', 'clock']

describe.skipIf(noChromium)('axe finds nothing', () => {
  const openDesk = useDesks()
  let desk: Desk
  const names = new Map<string, string>()

  beforeAll(async () => {
    desk = await openDesk({ webhooks: [{ url: 'http://127.0.0.1:9/nobody' }] })
    const rich = await desk.pay({
      payment_method: 'th_bank_transfer',
      payment_method_options: { bank: 'kbank' },
    })
    const raw = new FormData()
    raw.set('file', new Blob([Uint8Array.from(png())], { type: 'image/png' }), 'receipt.png')
    await desk.call('POST', `/payment_intents/${rich.id}/receipt`, {
      raw,
      headers: { 'idempotency-key': 'one' },
    })
    names.set('RICH', rich.id).set('QR', (await desk.pay()).id)
    for (const end of ['succeeds', 'declines', 'expires'])
      await desk.pay({ merchant_reference: `order-${end}` })
    const payout = await desk.payOut()
    names.set('PAYOUT', payout.id)
    await desk.call('POST', `/payout_intents/${payout.id}/cancel`, { body: { reason: 'A mistake' } })
    await desk.call('GET', '/payment_intents/pi_nothing')
    await desk.control('PUT', '/faults', { faults: [{ on: 'webhook', type: 'duplicate' }] })
    await desk.control('POST', '/clock/advance', { by: '1m' })
  })

  const spelledOut = (path: string) => path.replace(/[A-Z]+$/, name => names.get(name) ?? name)

  test('on any page', { timeout: 240_000 }, async () => {
    const { page } = await desk.open('overview')
    for (const [path, opens] of PAGES) {
      await page.goto(addressOf(desk.server, `${desk.account}/${spelledOut(path)}`))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('load')
      await expect.poll(() => page.locator('.loading').count()).toBe(0)
      await opens?.(page)
      await expectBothAccessible(page, `${path} ${opens ?? ''}`)
    }
    const [request] = (await desk.control('GET', '/requests')).data
    const [delivery] = (await desk.control('GET', '/webhook-deliveries')).data
    for (const path of [`requests/${request.request_id}`, `webhooks/${delivery.id}`]) {
      await page.goto(addressOf(desk.server, `${desk.account}/${path}`))
      await page.locator('pre').first().waitFor()
      await expectBothAccessible(page, path)
    }
  })

  test('on pages with nothing in them, and on a phone with its menu open', { timeout: 120_000 }, async () => {
    const empty = await openDesk()
    const { page } = await empty.open('overview', PHONE)
    for (const path of EMPTY) {
      await page.goto(addressOf(empty.server, `${empty.account}/${path}`))
      await page.locator('.empty').first().waitFor()
      await expectBothAccessible(page, path)
    }
    await press(page, 'Menu')
    await page.getByRole('navigation').waitFor()
    await expectBothAccessible(page, 'the menu')
  })

  test('before signing in, nor in an account that is not there', async () => {
    const { page } = await desk.visit(addressOf(desk.server, '?link=used'))
    await page.getByRole('alert').waitFor()
    await expectBothAccessible(page, 'sign-in')
    const inside = await desk.open('overview')
    await inside.page.goto(addressOf(desk.server, 'nobody.test/payments'))
    await inside.page.getByRole('heading', { name: 'There is no account nobody.test' }).waitFor()
    await expectBothAccessible(inside.page, 'unknown account')
  })
})
