import { beforeEach, describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount } from '../../support/gateway/merchant.ts'
import { contractServer, sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { choosing } from '../../support/payments/checkout-page.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { upload } from '../../support/payments/receipts.ts'

/** The hosted page, its intent, and what ends either of them. */

const RETURN = 'https://shop.example/thanks?a=1&b=%20'
const server = sharedServer()
let account: Account

beforeEach(async () => {
  account = await openAccount(server())
})

const putRule = async (rule: Record<string, unknown>) => {
  const answer = await account.control('PUT', '/rules', { body: { rules: [rule] } })
  expect(answer.status, answer.text).toBe(200)
}
const pageOf = async ({ next_action: { url } }: Json) => {
  const page = await fetch(url)
  return { status: page.status, text: await page.text() }
}
const msBetween = (from: string, to: string) => Date.parse(to) - Date.parse(from)

describe('a hosted intent and its page expire together', () => {
  test.each([undefined, 'probe_qr', 'probe_receipt'])('with method %s', async payment_method => {
    const made = await account.payHosted({ payment_method })
    expect(msBetween(made.created_at, made.next_action.expires_at)).toBe(72 * 3_600_000)
    await account.advance('71h59m59s')
    expect(await account.read(made.id)).toEqual(made)
    expect((await pageOf(made)).status).toBe(200)
    await account.advance('1s')
    expect(await account.read(made.id)).toMatchObject({ status: 'expired', next_action: null })
  })

  test('a payer who comes after two days still chooses and pays', async () => {
    const made = await account.payHosted()
    await account.advance('48h')
    await choosing(made.next_action.url, 'probe_qr')
    expect((await account.read(made.id)).status).toBe('pending')
    expect((await account.trigger(made.id, 'succeed')).status).toBe(200)
  })
})

describe('the page URL never changes', () => {
  test('when the payer chooses a method whose rule has its own expiry, which moves expires_at', async () => {
    await putRule({ expiry: '5h' })
    const made = await account.payHosted()
    await account.advance('1h')
    await choosing(made.next_action.url, 'probe_qr')
    const chosen = await account.read(made.id)
    expect(chosen.next_action.url).toBe(made.next_action.url)
    expect(msBetween(made.created_at, chosen.next_action.expires_at)).toBe(5 * 3_600_000)
    await account.advance('4h')
    expect((await account.read(made.id)).status).toBe('expired')
  })

  test('when the payer chooses a method whose rule lets the action expire', async () => {
    await putRule({ action: { expires_after: '20m' } })
    const made = await account.payHosted()
    await account.advance('1h')
    await choosing(made.next_action.url, 'probe_qr')
    const chosen = await account.read(made.id)
    expect(chosen.next_action.url).toBe(made.next_action.url)
    expect(msBetween(made.created_at, chosen.next_action.expires_at)).toBe(80 * 60_000)
    await account.advance('20m')
    expect(await account.read(made.id)).toMatchObject({ status: 'processing', next_action: null })
    expect((await pageOf(made)).status).toBe(200)
    await account.trigger(made.id, 'present-action')
    expect((await account.read(made.id)).next_action.url).toBe(made.next_action.url)
  })

  test('when the action is withdrawn and presented again', async () => {
    const made = await account.payHosted()
    await account.advance('1h')
    await account.trigger(made.id, 'withdraw-action')
    expect((await pageOf(made)).status).toBe(200)
    await account.trigger(made.id, 'present-action')
    expect((await account.read(made.id)).next_action).toEqual(made.next_action)
  })
})

test('every URL for payers answers HEAD like GET, without the body', async () => {
  const made = await account.payHosted({ payment_method: 'probe_redirect' })
  const shown = (await account.pay('probe_redirect')).next_action.url
  const image = (await account.pay('probe_qr')).next_action.qr_image_url
  for (const url of [made.next_action.url, shown, image]) {
    const [head, get] = [await fetch(url, { method: 'HEAD' }), await fetch(url)]
    expect([head.status, head.headers.get('content-type')]).toEqual([200, get.headers.get('content-type')])
    expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength))
    expect(await head.text()).toBe('')
  }
  const forged = await fetch(`${made.next_action.url}x`, { method: 'HEAD' })
  expect(forged.status).toBe(403)
})

const endings: [string, string, (made: Json) => Promise<unknown>][] = [
  ['succeeded', 'received', made => account.trigger(made.id, 'succeed')],
  ['failed', 'failed', made => account.trigger(made.id, 'fail')],
  ['expired', 'expired', () => account.advance('73h')],
  ['cancelled', 'cancelled', made => account.cancel(made.id)],
]

describe.each(endings)('after the end the page shows that the payment %s', (_, words, end) => {
  test('and links the unchanged return_url, even days later', async () => {
    const made = await account.payHosted({ payment_method: 'probe_qr', return_url: RETURN })
    await end(made)
    await account.advance('31m')
    for (let day = 0; day < 5; day++) {
      const page = await pageOf(made)
      expect(page.status).toBe(200)
      expect(page.text.toLowerCase()).toContain(words.toLowerCase())
      expect(page.text).toContain(`href="${RETURN}"`)
      await account.advance('24h')
    }
  })
})

describe('hosted.page as a duration', () => {
  const limited = contractServer({ 'hosted.page': '30m' })
  const early = { after: '1h', verdict: 'reject', message: 'Not legible' }

  beforeEach(async () => {
    account = await openAccount(limited())
  })

  test.each([undefined, 'probe_qr'])(
    'lets the action expire with the page: method %s',
    async payment_method => {
      const made = await account.payHosted({ payment_method })
      expect(msBetween(made.created_at, made.next_action.expires_at)).toBe(30 * 60_000)
      await account.advance('29m59s')
      expect((await account.read(made.id)).status).toBe('pending')
      await account.advance('1s')
      expect(await account.read(made.id)).toMatchObject({ status: 'processing', next_action: null })
      expect((await pageOf(made)).status).toBe(410)
    },
  )

  test('keeps the page open while the action is held, so a rejected receipt can be replaced', async () => {
    await putRule({ receipt: [early, { after: '5s', verdict: 'accept' }] })
    const made = await account.payHosted({ payment_method: 'probe_receipt' })
    await upload(account, made.id, png(1))
    await account.advance('62m')
    expect(await account.read(made.id)).toMatchObject({
      status: 'pending',
      next_action: made.next_action,
      receipt: { status: 'rejected' },
    })
    const page = await pageOf(made)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Not legible')
    expect((await upload(account, made.id, png(2))).status).toBe(200)
  })

  test('shows how the payment ended even after the page would have closed', async () => {
    const made = await account.payHosted({ payment_method: 'probe_qr', return_url: RETURN })
    await account.trigger(made.id, 'succeed')
    await account.advance('31m')
    expect(await pageOf(made)).toMatchObject({ status: 200 })
  })

  test('keeps the page URL when the end of the action moves', async () => {
    await putRule({ action: { expires_after: '10m' } })
    const made = await account.payHosted()
    await account.advance('5m')
    await choosing(made.next_action.url, 'probe_qr')
    const chosen = await account.read(made.id)
    expect(msBetween(made.created_at, chosen.next_action.expires_at)).toBe(15 * 60_000)
    await account.advance('30m')
    expect((await pageOf(made)).status).toBe(410)
    await account.trigger(made.id, 'present-action')
    const again = await account.read(made.id)
    expect([chosen.next_action.url, again.next_action.url]).toEqual(
      Array.from({ length: 2 }, () => made.next_action.url),
    )
    expect((await pageOf(made)).status).toBe(200)
  })

  test('refuses a cancellation after the action has ended', async () => {
    const made = await account.payHosted({ payment_method: 'probe_qr' })
    await account.advance('30m')
    expectError(await account.cancel(made.id), 422, 'invalid_state')
  })
})
