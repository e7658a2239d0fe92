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
    const { url } = await sell()
    const body = new URLSearchParams({ act: 'choose', method: 'th_internet_banking', bank: 'bbl' })
    const sent = await fetch(`${url}&lang=th`, { method: 'POST', body, redirect: 'manual' })
    expect([sent.status, new URL(sent.headers.get('location') ?? '', url).href]).toEqual([
      303,
      `${url}&lang=th`,
    ])
    const page = await read(`${url}&lang=th`)
    const bank = /href="(\/bank\/[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(await read(new URL(bank, url).href)).toContain('<html lang="th">')
  })

  const LONG = 'x'.repeat(257)
  const [TOO_LONG, EMPTY, NO_BANK, BANK_UNKNOWN] = [
    ['Please use at most 256 characters.', 'กรุณากรอกไม่เกิน 256 ตัวอักษร'],
    ['Please fill in this field.', 'กรุณากรอกข้อมูลนี้'],
    ['Please choose your bank.', 'กรุณาเลือกธนาคารของคุณ'],
    ['This bank cannot be used here. Please choose another.', 'ใช้ธนาคารนี้ไม่ได้ กรุณาเลือกธนาคารอื่น'],
  ] as const

  /** The message that each refused field of a page refers to. */
  function problemsOn(page: string): Record<string, string | undefined> {
    const refused = page.matchAll(
      /<(?:input|select)[^>]* name="(\w+)"[^>]* aria-invalid="true" aria-describedby="([\w-]+)"/g,
    )
    return Object.fromEntries(
      [...refused].map(([, field, id]) => [
        field,
        new RegExp(`<p class="problem" id="${id}">([^<]*)</p>`).exec(page)?.[1],
      ]),
    )
  }

  type Problems = Record<string, readonly [en: string, th: string]>

  test.each<[string, Record<string, string>, Problems]>([
    [
      'texts that are too long',
      { account_name: LONG, account_number: LONG, name_th: LONG },
      { account_name: TOO_LONG, account_number: TOO_LONG, name_th: TOO_LONG },
    ],
    [
      'one that is too long',
      { account_name: 'Malee', account_number: LONG, name_th: 'มาลี', bank: 'bbl' },
      { account_number: TOO_LONG },
    ],
    [
      'fields that are empty or blank',
      { account_name: ' ', account_number: '', name_th: 'มาลี' },
      { account_name: EMPTY, account_number: EMPTY, bank: NO_BANK },
    ],
    [
      'an unknown bank',
      { account_name: 'Malee', account_number: '1234567890', name_th: 'มาลี', bank: 'nobank' },
      { bank: BANK_UNKNOWN },
    ],
  ])('shows the problem at each field, and keeps the input: %s', async (_, fields, problems) => {
    const { url } = await sell()
    const body = new URLSearchParams({ act: 'choose', method: 'th_named_transfer', ...fields })
    for (const [nth, address] of [url, `${url}&lang=th`].entries()) {
      const sent = await fetch(address, { method: 'POST', body })
      const page = await sent.text()
      expect(sent.status).toBe(400)
      expect(problemsOn(page)).toEqual(
        Object.fromEntries(Object.entries(problems).map(([field, texts]) => [field, texts[nth]])),
      )
      expect(page.match(/<p class="problem"/g)).toHaveLength(Object.keys(problems).length)
      const { bank, ...typed } = fields
      for (const [field, value] of Object.entries(typed))
        expect(page).toContain(`name="${field}" value="${value}"`)
      const selected = /<option value="(\w+)"[^>]* selected>/.exec(page)?.[1]
      expect(selected).toBe(bank === 'nobank' ? undefined : bank)
    }
  })

  test.each(['en', 'th'])('formats an amount for its currency in %s', async lang => {
    const { url } = await sell({ amount: '1234567', currency: 'VND', country: 'VN' })
    expect(await read(`${url}&lang=${lang}`)).toContain('<data class="money" value="1234567">₫1,234,567')
    const baht = await read(`${(await sell()).url}&lang=${lang}`)
    expect(baht).toContain('<data class="money" value="1234.50">฿1,234.50')
  })

  test('formats an amount for its language', async () => {
    const { test: own } = await server.merchant({
      catalogue: oneTransfer({ country: 'TW', currency: 'TWD' }),
    })
    const { url } = await sell({ currency: 'TWD', country: 'TW' }, own)
    const [english, thai] = await Promise.all(['en', 'th'].map(lang => read(`${url}&lang=${lang}`)))
    expect(english).toContain('<data class="money" value="1234.50">$1,234.50')
    expect(thai).toContain('<data class="money" value="1234.50">NT$1,234.50')
  })

  test('refuses another action on a finished payment and shows its result', async () => {
    const { id, url } = await sell({ payment_method: 'th_promptpay' })
    await server.control('POST', `/accounts/${account.id}/payments/${id}/succeed`, { body: {} })
    const before = await server.as(account)('GET', `/payment_intents/${id}`)
    for (const name of ['fail', 'expire']) {
      const sent = await fetch(url, { method: 'POST', body: new URLSearchParams({ act: name }) })
      expect([sent.status, await sent.text()]).toEqual([422, expect.stringContaining('Payment received')])
    }
    expect((await server.as(account)('GET', `/payment_intents/${id}`)).body).toEqual(before.body)
  })

  test('leads to the result, unchanged, if an action was already done', async () => {
    for (const name of ['succeed', 'fail', 'expire']) {
      const { id, url } = await sell({ payment_method: 'th_promptpay' })
      await server.control('POST', `/accounts/${account.id}/payments/${id}/${name}`, { body: {} })
      const before = await server.as(account)('GET', `/payment_intents/${id}`)
      const body = new URLSearchParams({ act: name })
      const sent = await fetch(url, { method: 'POST', body, redirect: 'manual' })
      expect([sent.status, new URL(sent.headers.get('location') ?? '', url).href]).toEqual([303, url])
      expect((await server.as(account)('GET', `/payment_intents/${id}`)).body).toEqual(before.body)
    }
  })

  test('refuses an oversized file with a page, not with JSON', async () => {
    const { url } = await sell({ payment_method: 'th_bank_transfer', customer: { name: 'Malee' } })
    const body = new FormData()
    body.set('act', 'receipt')
    body.set('file', new Blob([new Uint8Array(8 * 1024 * 1024)]), 'large.png')
    const sent = await fetch(url, { method: 'POST', body })
    expect([sent.status, await sent.text()]).toEqual([400, expect.stringContaining('This file is too large')])
  })

  test('shows bank names in both scripts if the catalogue has both', async () => {
    const { test: own } = await server.merchant({
      catalogue: oneTransfer({ country: 'TH', currency: 'THB' }),
    })
    const { url } = await sell({}, own)
    expect(await read(url)).toContain('New Bank · ธนาคารใหม่')
    expect(await read(`${url}&lang=th`)).toContain('ธนาคารใหม่ · New Bank')
  })
})

describe('the event stream of a page', () => {
  const liveOf = (url: string) => url.replace('?', '/live?')

  async function firstNews(url: string): Promise<Record<string, unknown>> {
    const { body, headers } = await fetch(liveOf(url))
    expect(headers.get('content-type')).toContain('text/event-stream')
    let text = ''
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString()
      const data = /^data: (.*)$/m.exec(text)?.[1]
      // Leaving the loop ends the stream.
      if (data !== undefined) return JSON.parse(data)
    }
    throw new Error(`no news in: ${text}`)
  }

  test('reports that the page changed, but not how', async () => {
    const { id, url } = await sell({ payment_method: 'th_promptpay' })
    const before = await firstNews(url)
    expect(before).toEqual({ shown: expect.stringMatching(/^[\w-]{22}$/), now: expect.any(Number), rate: 0 })
    expect(await read(url)).toContain(`data-shown="${before.shown}"`)
    await server.control('POST', `/accounts/${account.id}/payments/${id}/fail`, { body: {} })
    expect((await firstNews(url)).shown).not.toBe(before.shown)
  })

  test('is protected like the page', async () => {
    const { url } = await sell()
    const statuses = [
      `${liveOf(url)}x`,
      `${liveOf(url)}&expires=9999999999999`,
      liveOf(url).replace('/checkout/', '/bank/'),
    ].map(async address => (await fetch(address)).status)
    expect(await Promise.all(statuses)).toEqual([403, 403, 403])
  })
})
