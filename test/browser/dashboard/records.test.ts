import { describe, expect, test } from 'vitest'
import { noChromium } from '../../support/browser/browser.ts'
import { addressOf, confirm, type Desk, png, press, shows, useDesks } from '../../support/browser/desk.ts'

const TRANSFER = { payment_method: 'th_bank_transfer', payment_method_options: { bank: 'kbank' } }

const submitReceipt = async ({ call }: Desk, id: string, shade: number) => {
  const raw = new FormData()
  raw.set('file', new Blob([Uint8Array.from(png(shade))], { type: 'image/png' }), 'receipt.png')
  const headers = { 'idempotency-key': `receipt-${shade}` }
  expect((await call('POST', `/payment_intents/${id}/receipt`, { raw, headers })).status).toBe(200)
}

describe.skipIf(noChromium)('payments and payouts on the dashboard', () => {
  const openDesk = useDesks()

  test('the list updates live and keeps its filters in the URL', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('payments')
    await shows(page, 'No payments yet')
    await desk.pay({ merchant_reference: 'order-alpha' })
    await shows(page, 'order-alpha')
    const { id } = await desk.pay({ merchant_reference: 'order-beta', currency: 'THB' })
    await page.getByRole('status').filter({ hasText: '2 payments' }).waitFor()
    expect(await page.getByRole('row').nth(1).textContent()).toContain('order-beta')

    await desk.control('POST', `/payments/${id}/succeed`)
    await page
      .getByRole('row', { name: /order-beta/ })
      .getByText('Succeeded')
      .waitFor()

    await page.getByLabel('Status', { exact: true }).selectOption('succeeded')
    await page.getByRole('status').filter({ hasText: '1 payment' }).waitFor()
    expect(new URL(page.url()).search).toBe('?status=succeeded')
    await page.getByLabel('Search').fill('ALPHA')
    await shows(page, 'No matching payments')
    expect(new URL(page.url()).searchParams.get('q')).toBe('ALPHA')
    await page.reload()
    await shows(page, 'No matching payments')
    await press(page, 'Clear')
    await page.getByRole('status').filter({ hasText: '2 payments' }).waitFor()
    expect(new URL(page.url()).search).toBe('')

    await page.getByText('More', { exact: true }).click()
    await page.getByLabel('Created before').fill('2001-01-01T00:00:00')
    await shows(page, 'No matching payments')
    expect(new URL(page.url()).searchParams.get('created_before')).toMatch(/^200[01]-\d\d-\d\dT/)
  })

  test('a long list loads only visible rows, and does not move while it is read', async () => {
    const desk = await openDesk()
    for (let batch = 0; batch < 10; batch++)
      await Promise.all(
        Array.from({ length: 45 }, (_, nth) =>
          desk.payOut({ merchant_reference: `number-${batch * 45 + nth}` }),
        ),
      )
    const { page } = await desk.open('payouts')
    await page.getByRole('status').filter({ hasText: '450 payouts' }).waitFor()
    const list = page.getByRole('table', { name: 'payouts' })
    const drawn = await page.getByRole('row').count()
    expect(drawn).toBeLessThan(60)
    expect(await list.getAttribute('aria-rowcount')).toBe('451')

    await list.evaluate(element => element.scrollTo({ top: element.scrollHeight }))
    await page.locator('[aria-rowindex="451"] a').waitFor()
    const last = await page.locator('[aria-rowindex="451"]').textContent()
    await desk.payOut({ merchant_reference: 'newest' })
    await press(page, '1 newer')
    await shows(page, 'newest')
    await page.getByRole('status').filter({ hasText: '451 payouts' }).waitFor()
    expect(last).toContain('number-')

    await list.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.locator('[data-at="1"]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await page.goBack()
    await shows(page, 'newest')
  })

  test('a payment has buttons for the moves that its lifecycle allows, and no others', async () => {
    const desk = await openDesk()
    const { id } = await desk.pay()
    const { page } = await desk.open(`payments/${id}`)
    const moves = async () =>
      (await page.locator('.why .actions').getByRole('button').allTextContents()).join(' ')
    await shows(page, 'Withdraw action')
    expect(await moves()).toBe('Withdraw action Succeed Fail… Expire')
    await page.getByRole('img', { name: 'QR code for this payment' }).waitFor()
    await press(page, 'Withdraw action')
    await shows(page, 'Present action')
    expect(await moves()).toBe('Present action Succeed Fail… Expire')
    await shows(page, 'The payer has nothing to do now.')
    await press(page, 'Present action')
    await press(page, 'Fail…')
    await page.getByLabel(/Failure code/).fill('insufficient_funds')
    await page.getByLabel(/Message/).fill('Not enough money')
    await confirm(page, 'Fail')
    await page.getByText('Not enough money', { exact: true }).waitFor()
    expect(await moves()).toBe('')
    expect((await desk.control('GET', `/payments/${id}`)).failure_code).toBe('insufficient_funds')
  })

  test('an operator can judge a receipt and confirm a cancellation', async () => {
    const desk = await openDesk({ rules: [{ receipt: 'manual', cancel: 'manual' }] })
    const { id } = await desk.pay(TRANSFER)
    await submitReceipt(desk, id, 1)
    const { page } = await desk.open(`payments/${id}`)
    await page.getByRole('img', { name: 'The uploaded receipt' }).waitFor()
    const width = `[...document.images].find(({ alt }) => alt === 'The uploaded receipt')?.naturalWidth`
    await expect.poll(() => page.evaluate(width)).toBe(1)
    await press(page, 'Reject receipt…')
    await page.getByRole('textbox', { name: /Why/ }).fill('Not legible')
    await confirm(page, 'Reject receipt')
    await shows(page, 'Not legible')
    await submitReceipt(desk, id, 2)
    await shows(page, 'Submission 2')
    await press(page, 'Accept receipt')
    await page.getByText('Submitted', { exact: true }).first().waitFor()

    await desk.call('POST', `/payment_intents/${id}/cancel-pending`, { body: {} })
    await press(page, 'Confirm cancellation')
    await page.locator('.page-header').getByText('cancelled').waitFor()

    const told = page.getByRole('table', { name: 'Timeline' })
    for (const what of ['Payment created', 'Receipt rejected', 'Cancel requested', 'Payment cancelled'])
      await told.getByText(what).first().waitFor()
    // A mark for each row, above the table.
    const rows = await told.locator('tbody tr').count()
    expect(await page.locator('.strip .dot').count()).toBe(rows)
    await told.locator('tbody tr').nth(2).hover()
    expect(await page.locator('.strip .dot').nth(2).getAttribute('class')).toContain('marked')
    expect(await page.locator('.strip .dot.marked').count()).toBe(1)
  })

  test('the timeline shows who did what, and what is planned', async () => {
    const desk = await openDesk({
      rules: [{ name: 'pays late', outcome: { after: '1h', status: 'succeeded' } }],
      webhooks: [{ url: 'http://127.0.0.1:9/nobody-listens' }],
    })
    const { id } = await desk.pay()
    for (let nth = 0; nth < 3; nth++) await desk.call('GET', `/payment_intents/${id}`)
    const { page } = await desk.open(`payments/${id}`)
    const told = page.getByRole('table', { name: 'Timeline' })
    const coming = page.getByRole('region', { name: 'What comes next' })
    await coming.getByRole('listitem').filter({ hasText: 'Succeedsin 1 h' }).waitFor()
    await told.getByRole('row', { name: /Provider.*Start/ }).waitFor()
    await told.getByRole('row', { name: /Merchant.*GET 200 3 calls/ }).waitFor()
    await shows(page, 'pays late')
    await press(page, 'Step to the next timer')
    await told.getByRole('row', { name: /Provider.*Payment succeeded/ }).waitFor()
    await told.getByRole('row', { name: /Your server.*payment\.succeeded, attempt 1/ }).waitFor()
    await coming.getByRole('listitem').filter({ hasText: 'Webhook attempt 2' }).waitFor()
  })

  test('the timeline names the endpoint of each attempt and puts causes before effects', async () => {
    const urls = ['http://127.0.0.1:9/orders', 'http://127.0.0.1:9/books']
    const desk = await openDesk({ webhooks: urls.map(url => ({ url })) })
    const { id } = await desk.pay()
    await desk.call('POST', `/payment_intents/${id}/cancel-pending`, { body: {} })
    await desk.control('POST', `/payments/${id}/confirm-cancel`)
    await desk.control('POST', '/clock/advance', { by: '0s' })
    const { page } = await desk.open(`payments/${id}`)
    const told = page.getByRole('table', { name: 'Timeline' })
    for (const url of urls)
      await told.getByRole('row', { name: `payment.cancelled, attempt 1 to ${url}` }).waitFor()
    const rows = await told.getByRole('row').allTextContents()
    const order = [
      ...['POST 201', 'Payment created', 'Route frozen', 'Start', 'Action presented'],
      ...['POST 202', 'Cancel requested', 'Cancel', 'Payment cancelled', 'attempt 1', 'attempt 1'],
    ]
    expect(rows.slice(1).map((text, nth) => (text.includes(order[nth] ?? '?') ? order[nth] : text))).toEqual(
      order,
    )
    expect(await page.locator('main').textContent()).not.toContain('not known')
  })

  test('a payment shows its complete original rule and the planned effects', async () => {
    const desk = await openDesk({
      rules: [
        {
          name: 'slips are slow',
          match: { method: 'th_bank_transfer', amount: { gte: '100' } },
          receipt: [{ after: '8s', verdict: 'accept' }],
          cancel: { after: '10s', outcome: 'cancelled' },
          outcome: { after: '3s', status: 'failed', code: 'insufficient_funds' },
          expiry: '24h',
        },
      ],
    })
    const { id } = await desk.pay(TRANSFER)
    await desk.control('PUT', '/rules', { rules: [] })
    const { page } = await desk.open(`payments/${id}`)
    const rule = page.getByRole('region', { name: 'Rule', exact: true })
    for (const line of ['name: slips are slow', 'gte: "100"', 'verdict: accept', 'after: 10s', 'expiry: 24h'])
      await rule.getByText(line).waitFor()
    const coming = page.getByRole('region', { name: 'What comes next' })
    await coming
      .getByRole('listitem')
      .filter({ hasText: 'The receipt is accepted8 s after a receipt is sent' })
      .waitFor()
    const end = coming.getByRole('listitem').filter({ hasText: 'Fails' })
    await end.getByText('3 s after a receipt is accepted').waitFor()
    await coming.getByRole('listitem').filter({ hasText: 'Expiresin 1 d' }).waitFor()

    await submitReceipt(desk, id, 1)
    await coming.getByRole('listitem').filter({ hasText: 'The receipt is acceptedin 8 s' }).waitFor()
    await desk.control('POST', '/clock/advance', { by: '8s' })
    await end.getByText('in 3 s').waitFor()
    await end.getByText('insufficient_funds').waitFor()
    await desk.control('POST', '/clock/advance', { by: '3s' })
    await coming.getByText('Nothing: it has ended').waitFor()
  })

  test('payouts can be created, approved and cancelled, and the log keeps the reason', async () => {
    const desk = await openDesk()
    const { page, watch } = await desk.open('payouts')
    await press(page, 'New payout')
    watch.allow(/400/)
    await page.getByLabel('Amount').fill('-1')
    await page.getByLabel('Reference').fill('refund-7')
    await page.getByLabel('Account holder').fill('Anong Thongchai')
    await page.getByLabel('Account number').fill('9876543210')
    await press(page, 'Create')
    await page.locator('input:focus[name=amount][aria-invalid=true]').waitFor()
    await shows(page, /must be a positive integer in minor units, such as/)
    await page.getByLabel('Amount').fill('7700')
    await press(page, 'Create')
    await page.getByRole('link', { name: 'Go to the payout' }).click()
    await page.getByRole('heading', { level: 1, name: '77.00 THB' }).waitFor()
    await press(page, 'Cancel…')
    await page.getByLabel(/Reason/).fill('Sent to the wrong person')
    await page.getByRole('dialog').locator('[type="submit"]').click()
    const log = page.getByRole('table', { name: 'Audit log' })
    await log.getByRole('row', { name: /Operator.*Payout cancelled.*Sent to the wrong person/ }).waitFor()
    await page.getByRole('heading', { name: 'Reason for the cancellation' }).waitFor()

    const { id } = await desk.payOut()
    await page.goto(addressOf(desk.server, `${desk.account}/payouts/${id}`))
    await press(page, 'Approve')
    await press(page, 'Succeed')
    await log.getByRole('row', { name: /Payout succeeded/ }).waitFor()
  })
})
