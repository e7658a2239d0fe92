import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountKeys, Server } from '../../support/gateway/server.ts'
import { workerServer } from '../../support/gateway/worker-server.ts'

/** What the pages send, whatever becomes of it in a browser. */

let server: Server
let account: AccountKeys

beforeAll(async () => {
  server = await workerServer()
  account = (await server.merchant({ name: 'Shop & <Sons>', clock: { mode: 'virtual' } })).test
})

async function sell(
  changes: Record<string, unknown> = {},
  seller = account,
): Promise<{ id: string; url: string }> {
  const body = {
    amount: '123450',
    currency: 'THB',
    country: 'TH',
    merchant_reference: '"><i>1',
    customer: {},
    ...changes,
  }
  const made = await server.as(seller)('POST', '/payment_intents', { body })
  return { id: made.body.id, url: made.body.next_action.url }
}

/** A catalogue with a transfer from a bank that has a name in each script. */
const oneTransfer = (place: { country: string; currency: string }) => ({
  providers: [{ id: 'p' }],
  methods: [
    {
      code: 'transfer',
      label: 'Transfer',
      category: 'bank_transfer',
      banks: [{ code: 'nb', label: 'New Bank', name_th: 'ธนาคารใหม่' }],
    },
  ],
  routes: [
    {
      id: 'r',
      provider: 'p',
      method: 'transfer',
      local_code: 'x',
      environments: ['test'],
      ...place,
      checkout_modes: ['hosted'],
      action: 'display_bank_transfer_instructions',
      payer: { bank: true },
      banks: { nb: '1' },
      receipt: 'none',
      cancel_pending: true,
    },
  ],
})

const read = async (url: string, headers: Record<string, string> = {}) =>
  (await fetch(url, { headers })).text()

describe('a page', () => {
  test('runs only its own script, and sends no referrer', async () => {
    const { url } = await sell()
    const { headers } = await fetch(url)
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' blob:",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('set-cookie')).toBeNull()
  })

  test('escapes text from the shop', async () => {
    const page = await read((await sell()).url)
    expect(page).toContain('Shop &amp; &lt;Sons&gt;')
    expect(page).not.toContain('<i>')
    expect(page).not.toMatch(/\sstyle=|\son\w+=/)
  })

  test('loads immutable assets under versioned URLs', async () => {
    const { url } = await sell()
    const loaded = [...(await read(url)).matchAll(/(?:href|src)="(\/checkout\/[\w.-]+\?v=[^"]+)"/g)]
    expect(loaded).toHaveLength(3)
    for (const [, path = ''] of loaded) {
      const { status, headers } = await fetch(new URL(path, url))
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
      const bare = new URL(path.split('?')[0] ?? '', url)
      const again = await fetch(bare, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
      expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'no-cache'])
    }
  })

  test.each([
    ['th', 'th'],
    ['th-TH,en;q=0.9', 'th'],
    ['fr, en;q=0.5, th;q=0.8', 'th'],
    ['en-GB,th;q=0.9', 'en'],
    ['th;q=0, en;q=0.1', 'en'],
    ['vi', 'en'],
    ['', 'en'],
  ])('answers Accept-Language "%s" in %s', async (asked, lang) => {
    const page = await read((await sell()).url, { 'accept-language': asked })
    expect(page).toContain(`<html lang="${lang}">`)
  })

  test('keeps the chosen language through forms and on the bank page', async () => {
    const catalogue = oneTransfer({ country: 'TH', currency: 'THB' })
    const payer = { account_number: true, customer_name: true, bank: true }
    const routes = catalogue.routes.map(route => ({ ...route, payer }))
    const { test: strict } = await server.merchant({ catalogue: { ...catalogue, routes } })
    const { url } = await sell({}, strict)
    const body = new URLSearchParams({ act: 'choose', method: 'transfer' })
    const page = await (await fetch(url, { method: 'POST', body })).text()
    const wrong = [...page.matchAll(/name="(\w+)"[^>]*aria-invalid="true"[^>]*>/g)]
    expect(wrong.map(([, name]) => name)).toEqual(['bank', 'customer_name', 'account_number'])
    expect(wrong.map(([tag]) => tag.includes('autofocus'))).toEqual([true, false, false])
  })

  test('shows the operator the way to the payment in the dashboard, and says three days in words', async () => {
    const { id, url } = await sell()
    const page = await (await fetch(url)).text()
    expect(page).toContain('>3 days<')
    const [, link = ''] = /href="(\/\?payment=[^"]+)"/.exec(page) ?? []
    const answer = await fetch(new URL(link, url), { headers: { accept: 'text/html' }, redirect: 'manual' })
    expect(answer.headers.get('location')).toBe(`/_paysim/dashboard/${account.id}/payments/${id}`)
    const elsewhere = new URL('/?payment=//evil.example/x', url)
    const refused = await fetch(elsewhere, { headers: { accept: 'text/html' }, redirect: 'manual' })
    expect(refused.headers.get('location')).toBe('/_paysim/dashboard/')
  })
})
