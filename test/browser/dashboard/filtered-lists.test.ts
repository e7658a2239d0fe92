import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { noChromium } from '../../support/browser/browser.ts'
import { addressOf, follow, useDesks } from '../../support/browser/desk.ts'

describe.skipIf(noChromium)('a filtered list', () => {
  const openDesk = useDesks()

  test('is reached from what names a part of it, and saved as CSV and JSON', {
    timeout: 240_000,
  }, async () => {
    const desk = await openDesk({
      webhooks: [{ url: 'http://127.0.0.1:9/first' }, { url: 'http://127.0.0.1:9/second' }],
      rules: [
        {
          match: { merchant_reference: '*poor*' },
          outcome: { after: '0s', status: 'failed', code: 'insufficient_funds' },
        },
        {
          match: { kind: 'payout' },
          approval: { after: '0s' },
          outcome: { status: 'failed', code: 'closed' },
        },
      ],
    })
    await desk.pay({ merchant_reference: '=HYPERLINK("http://evil.example","poor")' })
    await desk.pay({ merchant_reference: 'order-poor, "twice"' })
    await desk.pay({ merchant_reference: 'order-waits' })
    await desk.payOut({ merchant_reference: 'refund-1' })
    await desk.control('POST', '/clock/advance', { by: '0s' })
    const { page } = await desk.open('overview')
    const count = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()

    await page.getByRole('link', { name: 'Failed', exact: true }).first().click()
    await count('2 payments')
    await page.getByRole('link', { name: /order-poor/ }).click()
    await page.getByRole('link', { name: 'insufficient_funds' }).click()
    await count('2 payments')
    expect(new URL(page.url()).searchParams.get('failure_code')).toBe('insufficient_funds')
    const csv = await saved(page, 'CSV')
    expect(csv.name).toBe('payments.csv')
    const [header, ...rows] = csv.text.trimEnd().split('\r\n')
    expect(header).toMatch(/^id,amount,currency,/)
    expect(rows).toHaveLength(2)
    expect(csv.text).toContain(`,"'=HYPERLINK(""http://evil.example"",""poor"")",`)
    expect(csv.text).toContain(`,"order-poor, ""twice""",`)
    const json = JSON.parse((await saved(page, 'JSON')).text)
    expect(json.map((row: { merchant_reference: string }) => row.merchant_reference)).toEqual([
      'order-poor, "twice"',
      '=HYPERLINK("http://evil.example","poor")',
    ])

    // What a filter leaves out stays out until it is cleared.
    await page.getByText(/^More/).click()
    await page.getByLabel('Failure code').fill('unheard_of')
    await page.getByText('No matching payments').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await count('3 payments')

    await page.getByRole('link', { name: /order-waits/ }).click()
    await page
      .getByRole('row', { name: /Provider.*Start/ })
      .getByRole('link', { name: 'Start' })
      .click()
    const route = page.locator('tr.is-wanted')
    await route.waitFor()
    await route.getByRole('link', { name: /^Payments by / }).click()
    await count('3 payments')
    expect(new URL(page.url()).searchParams.get('route')).toBe('banyan-th-qr')

    await follow(page, addressOf(desk.server, `${desk.account}/payouts?failure_code=closed`))
    await count('1 payout')
    expect((await saved(page, 'CSV')).text).toContain(',refund-1,')

    await desk.call('POST', '/payment_intents', { body: { amount: '-1' } })
    await desk.call('GET', '/payment_intents/pi_nothing')
    await follow(page, addressOf(desk.server, `${desk.account}/requests?status=4`))
    await page.getByRole('link', { name: 'GET /payment_intents/pi_nothing, 404' }).waitFor()
    const requests = await saved(page, 'CSV')
    expect(requests.name).toBe('requests.csv')
    const [titles, ...calls] = requests.text.trimEnd().split('\r\n')
    expect(titles).toMatch(/,error_code,error_message,fault,ignored$/)
    expect(calls.map(call => /,(not_found|validation_failed),/.exec(call)?.[1])).toEqual([
      'not_found',
      'validation_failed',
    ])
    const [first] = JSON.parse((await saved(page, 'JSON')).text)
    expect(first).toMatchObject({ method: 'GET', path: '/payment_intents/pi_nothing', status: 404 })

    await follow(page, addressOf(desk.server, `${desk.account}/clock?within=1h`))
    const timers = page.getByRole('table', { name: 'Timers' }).getByRole('row')
    await timers.filter({ hasText: 'Webhook attempt' }).first().waitFor()
    expect(await timers.filter({ hasText: 'Expire' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Clear' }).click()
    await timers.filter({ hasText: 'Expire' }).first().waitFor()

    await follow(page, addressOf(desk.server, `${desk.account}/overview`))
    const webhooks = page.getByRole('region', { name: 'Webhooks by status' })
    await webhooks.getByRole('link', { name: 'Failing' }).click()
    await count('6 deliveries')

    await follow(page, addressOf(desk.server, `${desk.account}/webhooks`))
    await page.getByLabel('Endpoint', { exact: true }).selectOption({ label: 'http://127.0.0.1:9/second' })
    await count('3 deliveries')
    const deliveries = JSON.parse((await saved(page, 'JSON')).text)
    expect(deliveries.map(({ url }: { url: string }) => url)).toEqual(
      Array(3).fill('http://127.0.0.1:9/second'),
    )

    await desk.control('POST', '/clock/advance', { by: '1h' })
    await desk.pay({ merchant_reference: 'order-poor-later' })
    await desk.control('POST', '/clock/advance', { by: '0s' })
    await follow(page, addressOf(desk.server, `${desk.account}/overview`))
    const bars = page.getByRole('slider', { name: /^Webhooks by creation time: .* 0 pending, / })
    await bars.click({ position: { x: 2, y: 2 } })
    await count('6 deliveries')
    await page.goBack()
    await bars.focus()
    await page.keyboard.press('End')
    expect(await bars.getAttribute('aria-valuetext')).toMatch(/, Failing 2$/)
    await page.keyboard.press('Enter')
    await count('2 deliveries')
    const created = ['created_after', 'created_before'].map(name =>
      new URL(page.url()).searchParams.get(name),
    )
    for (const { created_at } of JSON.parse((await saved(page, 'JSON')).text)) {
      expect(created_at >= String(created[0])).toBe(true)
      expect(created_at < String(created[1])).toBe(true)
    }
    // A filter is narrower within the time of the bar.
    await page.getByLabel('Endpoint', { exact: true }).selectOption({ label: 'http://127.0.0.1:9/second' })
    await count('1 delivery')
    await page.getByRole('button', { name: 'Clear' }).click()
    await count('8 deliveries')
  })

  test('that is empty has a command that makes its first record, wherever it is pasted', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('payments')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copy = page.getByRole('button', { name: 'Copy the command' })
    await copy.waitFor()
    expect(await page.locator('.command pre').textContent()).not.toContain('sk_test_')
    await copy.click()
    await page.locator('.command button path[d^="m3"]').waitFor({ state: 'attached' })
    const command = String(await page.evaluate('navigator.clipboard.readText()'))
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: '/' })
    expect(JSON.parse(stdout)).toMatchObject({ object: 'payment_intent', merchant_reference: 'order-1' })
    await page.getByRole('link', { name: /^Payment order-1/ }).waitFor()
  })
})

async function saved(page: Page, format: 'CSV' | 'JSON'): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: format, exact: true }).click(),
  ])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}
