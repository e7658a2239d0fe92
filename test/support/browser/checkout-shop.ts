import type { Page } from 'playwright-core'
import { beforeAll } from 'vitest'
import type { AccountKeys, Call, Server } from '../gateway/server.ts'
import { workerServer } from '../gateway/worker-server.ts'
import { type OpenPage, useBrowser } from './browser.ts'

/** A merchant with a virtual clock and provider rules, and a browser for its payers. */

export const RETURN_URL = 'https://shop.example/done?order=1&x=%7e&lang=xx'

const RULES = [
  { name: 'short', match: { merchant_reference: 'short*' }, action: { after: '0s', expires_after: '15m' } },
  {
    name: 'magic: declines',
    match: { merchant_reference: 'declines*' },
    outcome: { after: '30s', status: 'failed' },
  },
  {
    name: 'blurry',
    match: { merchant_reference: 'blurry*' },
    receipt: [
      { after: '5s', verdict: 'reject', message: 'Amount is not legible' },
      { after: '5s', verdict: 'accept' },
    ],
    outcome: { after: '30s', status: 'succeeded' },
  },
]

export interface Payment {
  id: string
  status: string
  payment_method: string | null
  next_action: { type: string; url: string; expires_at: string } | null
  receipt: { status: string } | null
}

export interface Shop {
  readonly server: Server
  readonly account: AccountKeys
  readonly call: Call
  /** Creates a hosted payment, and returns the URL of its page. */
  sell(changes?: Record<string, unknown>): Promise<{ id: string; url: string }>
  read(id: string): Promise<Payment>
  trigger(id: string, name: string, body?: Record<string, unknown>): Promise<void>
  advance(by: string): Promise<void>
  /** A page that fails the test if anything goes wrong in it. */
  readonly visit: OpenPage
}

export function useShop(): () => Shop {
  let shop: Shop | undefined
  const visit = useBrowser()

  beforeAll(async () => {
    shop = await openShop(await workerServer(), visit)
  })

  return () => {
    if (!shop) throw new Error('the shop opens before the tests')
    return shop
  }
}

async function openShop(server: Server, visit: OpenPage): Promise<Shop> {
  const { test: account } = await server.merchant({
    name: 'Baan Suan Coffee',
    clock: { mode: 'virtual' },
    rules: RULES,
  })
  const call = server.as(account)
  const demand = async (calling: ReturnType<Call>) => {
    const answer = await calling
    if (answer.status >= 400) throw new Error(`${answer.status} ${answer.text}`)
    return answer.body
  }
  const path = `/accounts/${account.id}`
  return {
    server,
    account,
    call,
    sell: async changes => {
      const body = {
        amount: '123450',
        currency: 'THB',
        country: 'TH',
        merchant_reference: 'order-1',
        customer: {},
        return_url: RETURN_URL,
        ...changes,
      }
      const made: Payment = await demand(call('POST', '/payment_intents', { body }))
      return { id: made.id, url: made.next_action?.url ?? '' }
    },
    read: id => demand(call('GET', `/payment_intents/${id}`)),
    trigger: async (id, name, body = {}) => {
      await demand(server.control('POST', `${path}/payments/${id}/${name}`, { body }))
    },
    advance: async by => {
      await demand(server.control('POST', `${path}/clock/advance`, { body: { by } }))
    },
    visit,
  }
}

/** The only link that expires before its payment: a bank's page to which the shop itself sent the customer. */
export const SHORT_LINK = {
  checkout_mode: 'merchant',
  return_url: undefined,
  payment_method: 'th_mobile_banking',
  payment_method_options: { bank: 'scb' },
  merchant_reference: 'short-1',
}

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
export const DESKTOP = { viewport: { width: 1280, height: 800 } }

/** Waits until the page shows this text. */
export const says = (page: Page, heading: string) =>
  page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()

/** Unfolds a method, fills in its fields, and pays with it. */
export async function choose(page: Page, method: string, fields: Record<string, string> = {}): Promise<void> {
  const card = page.locator('details', { has: page.getByText(method, { exact: true }) })
  if ((await card.getAttribute('open')) === null) await card.locator('summary').click()
  for (const [label, value] of Object.entries(fields)) await card.getByLabel(label).fill(value)
  await card.getByRole('button').click()
}

export { png } from '../payments/receipt-images.ts'
