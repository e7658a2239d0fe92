import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { noChromium } from '../../support/browser/browser.ts'
import { addressOf, type Desk, follow, png, useDesks } from '../../support/browser/desk.ts'

/** Ten questions that a developer has: each is answered at most two clicks from the overview. */

const RULES = [
  {
    name: 'large transfers',
    match: { amount: { gte: '1000000' } },
    outcome: { after: '0s', status: 'failed', code: 'insufficient_funds' },
  },
  {
    name: 'pays late',
    match: { merchant_reference: '*-late' },
    outcome: { after: '30m', status: 'succeeded' },
  },
  {
    name: 'slips are read',
    match: { kind: 'payment', method: 'th_bank_transfer' },
    receipt: [{ after: '5s', verdict: 'reject', message: 'Not legible' }],
    outcome: { after: '3s', status: 'succeeded' },
  },
]

describe.skipIf(noChromium)('the dashboard answers', () => {
  const openDesk = useDesks()
  let desk: Desk

  beforeAll(async () => {
    const receiver = createServer((request, response) => {
      request.resume().on('end', () => response.end('heard'))
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => receiver.once('listening', resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
    desk = await openDesk({ rules: RULES, webhooks: [{ url }] })
    await desk.pay({ amount: '2000000', merchant_reference: 'order-declined' })
    await desk.control('POST', '/clock/advance', { by: '0s' })
    receiver.close()
    const { id } = await desk.pay({
      merchant_reference: 'order-slip',
      payment_method: 'th_bank_transfer',
      payment_method_options: { bank: 'kbank' },
    })
    const raw = new FormData()
    raw.set('file', new Blob([Uint8Array.from(png())], { type: 'image/png' }), 'receipt.png')
    const headers = { 'idempotency-key': 'slip' }
    await desk.call('POST', `/payment_intents/${id}/receipt`, { raw, headers })
    await desk.control('POST', '/clock/advance', { by: '5s' })
    const hosted = await desk.pay({
      merchant_reference: 'order-hosted',
      checkout_mode: 'hosted',
      payment_method: undefined,
    })
    for (let nth = 0; nth < 6; nth++) await fetch(hosted.next_action.url)
    await desk.pay({ merchant_reference: 'order-late' })
    await desk.payOut({ merchant_reference: 'refund-waits' })
    await desk.call('POST', '/payment_intents', { body: { amount: '-1' } })
  })

  let page: Page | undefined

  /** From the overview, with the clicks that were made. */
  async function ask(): Promise<{ page: Page; click: (what: Locator) => Promise<void> }> {
    page ??= (await desk.open('overview')).page
    await follow(page, addressOf(desk.server, `${desk.account}/overview`))
    let clicks = 0
    return {
      page,
      click: async what => {
        expect(++clicks).toBeLessThanOrEqual(2)
        await what.click()
      },
    }
  }

  const link = (of: Page, name: string | RegExp) => of.getByRole('link', { name, exact: true }).first()
  const why = (of: Page, text: string | RegExp) =>
    of.getByRole('region', { name: 'Why' }).getByText(text).waitFor()

  test('ten questions', { timeout: 120_000 }, async () => {
    {
      // Did my server answer the webhook?
      const { page, click } = await ask()
      await click(link(page, 'Webhook of order-declined'))
      await why(page, 'Its receiver answered attempt 1 with 200.')
    }
    {
      // Who declined this?
      const { page, click } = await ask()
      await click(link(page, 'order-declined'))
      await why(page, /It failed \(insufficient_funds.*the rule "large transfers" says so/)
    }
    {
      // Which rule was it?
      const { page, click } = await ask()
      await click(link(page, 'order-declined'))
      await page.getByRole('region', { name: 'Rule', exact: true }).getByText('gte: "1000000"').waitFor()
      await click(link(page, 'large transfers'))
      await page.locator('.card.is-wanted').getByRole('heading', { name: 'large transfers' }).waitFor()
    }
    {
      // What did I send?
      const { page, click } = await ask()
      await click(link(page, 'order-declined'))
      await click(link(page, /^POST 201/))
      await page.getByRole('region', { name: 'Request', exact: true }).getByText('"order-declined"').waitFor()
    }
    {
      // Why is it pending, and what comes next?
      const { page, click } = await ask()
      await click(link(page, 'order-hosted'))
      await why(page, /It waits for the payer to choose a method/)
      const next = page.getByRole('region', { name: 'What comes next' })
      await next
        .getByRole('listitem')
        .filter({ hasText: /^Expires/ })
        .waitFor()
    }
    {
      // Which receipts were rejected, and why?
      const { page, click } = await ask()
      await click(link(page, '1 receipt rejected'))
      await click(link(page, /order-slip/))
      await page.getByRole('img', { name: 'The uploaded receipt' }).waitFor()
      await page.getByText('Rejected: Not legible').waitFor()
    }
    {
      // What happens in the next hour?
      const { page, click } = await ask()
      await page.getByRole('region', { name: 'What comes next' }).getByText('order-late').first().waitFor()
      await click(link(page, /due in the next hour/))
      const timers = page.getByRole('table', { name: 'Timers' }).getByRole('row')
      await timers.nth(1).waitFor()
      expect(await timers.filter({ hasText: /in \d+ d/ }).count()).toBe(0)
    }
    {
      // Why was my call refused?
      const { page, click } = await ask()
      await click(link(page, '1 call refused'))
      await click(link(page, 'POST /payment_intents, 400'))
      await why(page, /Its fields are not as the API wants them/)
    }
    {
      // Which payouts wait for approval?
      const { page, click } = await ask()
      await click(link(page, '1 payout to approve'))
      await page.getByRole('status').filter({ hasText: '1 payout' }).waitFor()
      await link(page, /refund-waits/).waitFor()
    }
    {
      // What did the payer see?
      const { page, click } = await ask()
      await click(link(page, 'order-hosted'))
      await page.getByRole('row', { name: /Payer.*Payer viewed the page 6 calls/ }).waitFor()
      await click(link(page, 'Payer viewed the page'))
      const seen = page.frameLocator('iframe[title="What the payer saw"]')
      await seen.getByRole('heading').first().waitFor()
    }
  })
})
