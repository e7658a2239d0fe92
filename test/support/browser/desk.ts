import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll } from 'vitest'
import type { Answer, Call, Server } from '../gateway/server.ts'
import { workerServer } from '../gateway/worker-server.ts'
import { type OpenedPage, type OpenPage, useBrowser } from './browser.ts'

type Json = Answer['body']

/** An account with a virtual clock, and a developer who uses the dashboard. */
export interface Desk {
  readonly server: Server
  /** Such as `shop.test`. */
  readonly account: string
  readonly call: Call
  /** Calls the account's control surface; the call must succeed. */
  readonly control: (method: string, path: string, body?: unknown) => Promise<Json>
  /** Creates a payment in merchant mode. */
  readonly pay: (changes?: Record<string, unknown>) => Promise<Json>
  readonly payOut: (changes?: Record<string, unknown>) => Promise<Json>
  /** A page of the dashboard, signed in. Problems in it fail the test. */
  readonly open: (path: string, options?: BrowserContextOptions) => Promise<OpenedPage>
  /** A page that is not signed in, unless this test signed in before. */
  readonly visit: OpenPage
}

const DESKTOP = { viewport: { width: 1360, height: 860 } }

/** Each call creates a new account. */
export function useDesks(
  contract?: Record<string, unknown>,
): (settings?: Record<string, unknown>) => Promise<Desk> {
  let server: Server | undefined
  const look = useBrowser()
  beforeAll(async () => {
    server = await workerServer(contract)
  })
  return async settings => {
    if (!server) throw new Error('the desk is there only while tests run')
    return openDesk(server, look, settings)
  }
}

async function openDesk(
  server: Server,
  look: OpenPage,
  settings: Record<string, unknown> = {},
): Promise<Desk> {
  const { test } = await server.merchant({ clock: { mode: 'virtual' }, ...settings })
  const call = server.as(test)
  const taken = async (answering: Promise<Answer>) => {
    const answer = await answering
    if (answer.status >= 400) throw new Error(`${answer.status} ${answer.text}`)
    return answer.body
  }
  const control: Desk['control'] = (method, path, body) =>
    taken(server.control(method, `/accounts/${test.id}${path}`, body === undefined ? {} : { body }))
  const visit: OpenPage = (address, options) => look(address, { timezoneId: 'UTC', ...DESKTOP, ...options })
  return {
    server,
    account: test.id,
    call,
    control,
    pay: changes =>
      taken(
        call('POST', '/payment_intents', {
          body: {
            amount: '123450',
            currency: 'THB',
            country: 'TH',
            checkout_mode: 'merchant',
            merchant_reference: 'order-1',
            payment_method: 'th_promptpay',
            customer: { name: 'Malee Srisuk' },
            ...changes,
          },
        }),
      ),
    payOut: changes =>
      control('POST', '/payouts', {
        amount: '5000',
        currency: 'THB',
        country: 'TH',
        merchant_reference: 'refund-1',
        recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '1234567890' },
        ...changes,
      }),
    visit,
    open: async (path, options) => {
      const { url } = (await server.control('POST', '/dashboard/links')).body
      const looked = await visit('about:blank', options)
      // Signs in without showing the page that the link leads to.
      await looked.page.context().request.get(url, { maxRedirects: 0 })
      await looked.page.goto(addressOf(server, `${test.id}/${path}`))
      await looked.page.getByRole('heading', { level: 1 }).waitFor()
      return looked
    },
  }
}

export const addressOf = (server: Server, path = '') => `${server.controlUrl}/dashboard/${path}`

/** Goes to another page of the dashboard as a link does: nothing of the old page is loaded again. */
export async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate(`new Promise(shown => {
    const link = document.createElement('a')
    link.href = ${JSON.stringify(address)}
    document.body.append(link)
    link.click()
    link.remove()
    requestAnimationFrame(() => setTimeout(shown))
  })`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()

/** In the open dialog. */
export const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

/** Waits until the page shows this. */
export const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

export { png } from '../payments/receipt-images.ts'
