import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { noChromium } from '../../support/browser/browser.ts'
import { addressOf, type Desk, png, press, useDesks } from '../../support/browser/desk.ts'

const WIDTHS = [390, 768, 1280]

/**
 * What cannot be read at this width: text cut off by the box it is in, and whatever stands beyond the window or can be
 * seen only by scrolling sideways. What only screen readers are to have is not looked at.
 */
const CUT_OFF = `(() => {
  const faults = []
  const name = element => element.tagName.toLowerCase() + '.' + element.className + ' “' + element.textContent.trim().slice(0, 50) + '”'
  const isUnseen = element => {
    for (let box = element; box; box = box.parentElement)
      if (getComputedStyle(box).clipPath === 'inset(50%)') return true
    return element.closest('svg, .skip') !== null
  }
  for (const element of document.querySelectorAll('body *')) {
    if (isUnseen(element) || !element.checkVisibility()) continue
    const { left, right, width, height } = element.getBoundingClientRect()
    if (width === 0 || height === 0) continue
    const { overflowX, display } = getComputedStyle(element)
    const isCut = element.scrollWidth > element.clientWidth + 1
    if (overflowX !== 'visible' && display !== 'inline' && element.tagName !== 'SELECT' && isCut)
      faults.push('does not fit (' + overflowX + '): ' + name(element))
    if (right > innerWidth + 1 || left < -1) faults.push('beyond the window: ' + name(element))
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the window')
  return faults
})()`

const PAGES: [path: string, opens?: (page: Page) => Promise<unknown>][] = [
  ['overview'],
  ['payments'],
  ['payments', page => page.getByText('More', { exact: true }).click()],
  ['payments/RICH'],
  ['payments/RICH', page => press(page, 'Fail…')],
  ['payments/HOSTED'],
  ['payments/QR'],
  ['payouts'],
  ['payouts', page => press(page, 'New payout')],
  ['payouts/PAYOUT'],
  ['requests'],
  ['requests/REQUEST'],
  ['webhooks'],
  ['webhooks/DELIVERY'],
  ['rules'],
  ['rules', page => press(page, 'Edit all')],
  ['faults'],
  ['catalogue'],
  ['clock'],
  ['account'],
]

describe.skipIf(noChromium)('nothing is cut off', () => {
  const openDesk = useDesks()
  let desk: Desk
  const names = new Map<string, string>()

  beforeAll(async () => {
    desk = await openDesk({
      webhooks: [
        { url: 'http://127.0.0.1:9/orders/webhooks/from-the-gateway' },
        { url: 'http://127.0.0.1:9/legacy', events: ['*'] },
      ],
      rules: [
        {
          name: 'slips are read twice',
          match: { method: 'th_bank_transfer', amount: { gte: '100000' } },
          receipt: [{ after: '5s', verdict: 'reject', message: 'The amount cannot be read' }],
          outcome: { after: '3s', status: 'failed', code: 'insufficient_funds', message: 'Too little' },
        },
        {
          match: { merchant_reference: '*-declined' },
          outcome: { status: 'failed', code: 'insufficient_funds' },
        },
      ],
    })
    const rich = await desk.pay({
      payment_method: 'th_bank_transfer',
      payment_method_options: { bank: 'kbank' },
      customer: { name: 'Anong Thongchai-Rattanakul', email: 'anong.thongchai@mail.example.com' },
    })
    const raw = new FormData()
    raw.set('file', new Blob([Uint8Array.from(png())], { type: 'image/png' }), 'receipt.png')
    await desk.call('POST', `/payment_intents/${rich.id}/receipt`, {
      raw,
      headers: { 'idempotency-key': 'one' },
    })
    const hosted = await desk.pay({
      checkout_mode: 'hosted',
      payment_method: undefined,
      return_url: `https://shop.example/thanks?order=${'1042-'.repeat(20)}`,
    })
    await desk.pay({ merchant_reference: 'order-2026-000455-declined', amount: '198765432' })
    const payout = await desk.payOut({ merchant_reference: 'refund-2026-000017' })
    await desk.call('POST', `/payout_intents/${payout.id}/cancel`, {
      body: { reason: 'Sent to the wrong person' },
    })
    await desk.control('PUT', '/faults', {
      faults: [
        { name: 'slow', on: 'POST /payment_intents', type: 'latency', delay: { p50: '1ms', p99: '2ms' } },
      ],
    })
    const qr = await desk.pay()
    await desk.control('POST', '/clock/advance', { by: '1m' })
    const [delivery] = (await desk.control('GET', '/webhook-deliveries')).data
    const [request] = (await desk.control('GET', '/requests')).data
    names
      .set('RICH', rich.id)
      .set('HOSTED', hosted.id)
      .set('QR', qr.id)
      .set('PAYOUT', payout.id)
      .set('DELIVERY', delivery.id)
      .set('REQUEST', request.request_id)
  })

  test.each(WIDTHS)('at %i px', { timeout: 240_000 }, async width => {
    const { page } = await desk.open('overview', { viewport: { width, height: 860 } })
    for (const [path, opens] of PAGES) {
      const spelledOut = path.replace(/[A-Z]+$/, name => names.get(name) ?? name)
      await page.goto(addressOf(desk.server, `${desk.account}/${spelledOut}`))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.locator('.loading, .ghost:not(.button)').count()).toBe(0)
      await opens?.(page)
      expect([path, ...((await page.evaluate(CUT_OFF)) as string[])]).toEqual([path])
    }
    if (width <= 860) await press(page, 'Menu')
    await page.getByRole('navigation').waitFor()
    expect(['menu', ...((await page.evaluate(CUT_OFF)) as string[])]).toEqual(['menu'])
  })
})
