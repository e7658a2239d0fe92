import type { Page } from 'playwright-core'
import {
  LIST_PAGES,
  type ListPageName,
  RECORD_PAGES,
  type RecordPageName,
} from '../../../src/web/dashboard/pages/page-names.ts'
import { addressOf, type Desk, follow, png, press } from './desk.ts'

/** A state of a page of the dashboard: as it loads, or with something opened on it. */
export interface PageState {
  readonly name: string
  /** Relative to the account. */
  readonly path: string
  readonly opens?: (page: Page) => Promise<unknown>
}

type Opens = Readonly<Record<string, (page: Page) => Promise<unknown>>>

/** Presses a key once there is something that takes it. */
async function pressKey(page: Page, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Find anything' }).first().waitFor()
  await page.keyboard.press(key)
}

/** What can be opened on a page. */
const OPENS: Partial<Record<ListPageName, Opens>> = {
  overview: {
    'the palette': async page => {
      await pressKey(page, 'Control+k')
      await page.getByRole('combobox', { name: 'Find records' }).fill('order')
      await page.getByRole('option', { name: /^order-succeeds/ }).waitFor()
    },
    'the list of keys': page => pressKey(page, '?'),
  },
  payments: {
    'more filters': page => page.getByText('More', { exact: true }).click(),
    'a new payment': page => press(page, 'New payment'),
  },
  requests: { 'a new request': page => press(page, 'New request') },
  payouts: { 'a new payout': page => press(page, 'New payout') },
  webhooks: {
    'a new endpoint': page => press(page, 'Add endpoint'),
    'a signature to verify': page => press(page, 'Verify a signature'),
    'deliveries to send again': async page => {
      await press(page, 'Redeliver…')
      await page.getByRole('button', { name: /^Redeliver \d/ }).waitFor()
    },
  },
  rules: {
    'all as YAML': page => press(page, 'Edit all'),
    'one as a sentence': async page => {
      await press(page, 'Edit slips are read twice')
      await page.getByText('It would have matched').waitFor()
    },
  },
  faults: {
    'one as a sentence': async page => {
      await press(page, 'Edit slow')
      await page.getByRole('group', { name: 'Then' }).waitFor()
    },
  },
  account: { 'the reset': page => press(page, 'Reset…') },
}
const OPENS_ON_PAYMENT: Opens = {
  'the dialog to fail it': page => press(page, 'Fail…'),
}

/** The records that an account needs so that no page is empty. */
export const FURNISHED = {
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
    { match: { merchant_reference: '*-expires' }, outcome: { status: 'expired' } },
    { match: { merchant_reference: '*-succeeds' }, outcome: { status: 'succeeded' } },
  ],
}

/**
 * Fills an account that was opened with `FURNISHED`, and returns every state of every page. New pages are included
 * automatically.
 */
export async function furnish(desk: Desk): Promise<readonly PageState[]> {
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
  for (const end of ['succeeds', 'expires']) await desk.pay({ merchant_reference: `order-${end}` })
  await desk.pay({ merchant_reference: 'order-2026-000455-declined', amount: '198765432' })
  const payout = await desk.payOut({ merchant_reference: 'refund-2026-000017' })
  await desk.call('POST', `/payout_intents/${payout.id}/cancel`, {
    body: { reason: 'Sent to the wrong person' },
  })
  const qr = await desk.pay()
  await desk.call('GET', '/payment_intents/pi_nothing')
  await desk.control('PUT', '/faults', {
    faults: [
      { name: 'slow', on: 'POST /payment_intents', type: 'latency', delay: { p50: '1ms', p99: '2ms' } },
      { on: 'webhook', type: 'duplicate' },
    ],
  })
  await desk.control('POST', '/clock/advance', { by: '1m' })
  const [delivery] = (await desk.control('GET', '/webhook-deliveries')).data
  const [request] = (await desk.control('GET', '/requests')).data

  const records: Record<RecordPageName, Readonly<Record<string, string>>> = {
    payments: { 'by transfer': rich.id, 'hosted, without a method': hosted.id, 'by QR code': qr.id },
    payouts: { 'that was cancelled': payout.id },
    requests: { 'the last': request.request_id },
    webhooks: { 'the first': delivery.id },
  }
  const opened = (path: string, opens: Opens = {}) =>
    Object.entries(opens).map(([what, open]) => ({ name: `${path}: ${what}`, path, opens: open }))
  return [
    ...LIST_PAGES.flatMap(path => [{ name: path, path }, ...opened(path, OPENS[path])]),
    ...RECORD_PAGES.flatMap(list =>
      Object.entries(records[list]).map(([what, id]) => ({
        name: `${list}, ${what}`,
        path: `${list}/${id}`,
      })),
    ),
    ...opened(`payments/${rich.id}`, OPENS_ON_PAYMENT),
    { name: 'payments, none like it', path: 'payments?q=nothing-like-it' },
    { name: 'no such page', path: 'no-such-page' },
  ]
}

/** Opens a page of the account and waits until it is complete. */
export async function show(page: Page, desk: Desk, { path, opens }: PageState): Promise<void> {
  const address = addressOf(desk.server, `${desk.account}/${path}`)
  // An earlier state may have opened something on the same page. Loading the page again closes it.
  if (opens) await page.goto(address, { waitUntil: 'load' })
  else await follow(page, address)
  await page.locator('body:not(:has(.loading, .ghost:not(.button)))').waitFor({ state: 'attached' })
  await opens?.(page)
}
