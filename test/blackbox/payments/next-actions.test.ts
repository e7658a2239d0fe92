import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { SENTINEL } from '../../support/gateway/probe-catalogue.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { TIMESTAMP } from '../../support/http/answers.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const HOUR = 3_600_000
const lifetime = (made: { created_at: string; next_action: { expires_at: string } }) =>
  new Date(made.next_action.expires_at).getTime() - new Date(made.created_at).getTime()

describe('bank transfer instructions', () => {
  test('have the documented fields and no other', async () => {
    const { next_action } = await account.pay('probe_transfer')
    expect(next_action).toEqual({
      type: 'display_bank_transfer_instructions',
      bank: { code: expect.stringMatching(/\S/), label: expect.stringMatching(/\S/) },
      account: { name: expect.stringMatching(/\S/), number: expect.stringMatching(/^[\d -]{6,}$/) },
      reference: expect.stringMatching(/\S/),
      expires_at: expect.stringMatching(TIMESTAMP),
    })
  })

  test('differ between intents and stay the same for one', async () => {
    const first = await account.pay('probe_transfer')
    const second = await account.pay('probe_transfer')
    expect(second.next_action.reference).not.toBe(first.next_action.reference)
    await account.advance('1m')
    expect((await account.read(first.id)).next_action).toEqual(first.next_action)
  })

  test('expire after they are created', async () => {
    expect(lifetime(await account.pay('probe_transfer'))).toBeGreaterThan(0)
  })
})

describe('a redirect', () => {
  test('in merchant mode has a url and an expiry, and the url opens with GET', async () => {
    const { next_action } = await account.pay('probe_redirect')
    expect(next_action).toEqual({
      type: 'redirect_to_url',
      url: expect.stringMatching(/^https?:\/\/\S+$/),
      expires_at: expect.stringMatching(TIMESTAMP),
    })
    const page = await fetch(next_action.url)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html\b/)
    expect(await page.text()).not.toMatch(SENTINEL)
  })
})

describe('a hosted intent', () => {
  test.each([undefined, 'probe_transfer', 'probe_qr', 'probe_redirect', 'probe_later'])(
    'with payment_method %s sends the payer to a page that needs no credentials',
    async payment_method => {
      const { next_action, status } = await account.payHosted({ payment_method })
      expect(status).toBe('pending')
      expect(next_action).toEqual({
        type: 'redirect_to_url',
        url: expect.stringMatching(/^https?:\/\/\S+$/),
        expires_at: expect.stringMatching(TIMESTAMP),
      })
      const page = await fetch(next_action.url)
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toMatch(/^text\/html\b/)
      expect(await page.text()).not.toMatch(SENTINEL)
    },
  )

  test('has a page that expires after 72 hours', async () => {
    expect(lifetime(await account.payHosted())).toBe(72 * HOUR)
  })

  test('has a page that shows its merchant reference escaped, never as markup', async () => {
    const made = await account.payHosted({ merchant_reference: '<script>alert("x")</script>' })
    const page = await (await fetch(made.next_action.url)).text()
    expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;')
    expect(page).not.toContain('<script>alert(')
  })

  test('has a unique url that does not open when altered', async () => {
    const first = (await account.payHosted()).next_action.url
    const second = (await account.payHosted()).next_action.url
    expect(second).not.toBe(first)
    const at = first.length - 5
    const altered = first.slice(0, at) + (first[at] === 'b' ? 'c' : 'b') + first.slice(at + 1)
    const page = await fetch(altered)
    expect(page.status).toBeGreaterThanOrEqual(400)
    expect(page.status).toBeLessThan(500)
  })
})

describe('an action that comes later', () => {
  test('keeps the intent processing until there is an action, then pending', async () => {
    const own = await openAccount(server())
    const made = await own.pay('probe_later')
    expect(made).toMatchObject({ status: 'processing', processing_reason: 'asynchronous', next_action: null })
    await own.advance('9m59s')
    expect(await own.read(made.id)).toMatchObject({ status: 'processing', next_action: null })
    await own.advance('1s')
    const there = await own.read(made.id)
    expect(there).toMatchObject({ status: 'pending', processing_reason: null })
    expect(there.next_action.type).toBe('display_qr_code')
    expect(there.updated_at > made.updated_at).toBe(true)
  })

  test('does not undo a result that came first', async () => {
    const own = await openAccount(server())
    const made = await own.pay('probe_later')
    await own.trigger(made.id, 'succeed')
    await own.advance('1h')
    expect(await own.read(made.id)).toMatchObject({ status: 'succeeded', next_action: null })
  })
})
