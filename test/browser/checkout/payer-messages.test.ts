import { beforeAll, describe, expect, test } from 'vitest'
import { type AccountKeys, removeDirectory, type Server } from '../../support/gateway/server.ts'
import { startWithContract, workerServer } from '../../support/gateway/worker-server.ts'
import { png } from '../../support/payments/receipt-images.ts'

/** What a payer is told in each state, as plain HTML: nobody pays twice, and nobody is left without a way back. */

const RETURN_URL = `https://shop.example/done?a=1&b="><script>x</script>'&copy=2`
const AGAIN = /start the payment again|pay again\./i

let server: Server
let account: AccountKeys

beforeAll(async () => {
  server = await workerServer()
  account = (await server.merchant({ clock: { mode: 'virtual' } })).test
})

const ORDER = {
  amount: '123450',
  currency: 'THB',
  country: 'TH',
  merchant_reference: 'order-1',
  customer: {},
}
const TRANSFER = { payment_method: 'th_bank_transfer', customer: { name: 'Malee Srisuk' } }
const QR = { payment_method: 'th_promptpay' }
const BANK = { payment_method: 'th_mobile_banking', payment_method_options: { bank: 'scb' } }

async function sell(changes: Record<string, unknown> = {}): Promise<{ id: string; url: string }> {
  const body = { ...ORDER, return_url: RETURN_URL, ...changes }
  const made = await server.as(account)('POST', '/payment_intents', { body })
  return { id: made.body.id, url: made.body.next_action.url }
}

const read = async (url: string) => (await fetch(url)).text()
const cancel = (id: string) =>
  server.as(account)('POST', `/payment_intents/${id}/cancel-pending`, { body: {} })
const trigger = (id: string, name: string, body = {}) =>
  server.control('POST', `/accounts/${account.id}/payments/${id}/${name}`, { body })
const press = (url: string, fields: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

function upload(url: string, bytes = png()): Promise<Response> {
  const body = new FormData()
  body.set('act', 'receipt')
  body.set('file', new Blob([Uint8Array.from(bytes)], { type: 'image/png' }), 'slip.png')
  return fetch(url, { method: 'POST', body, redirect: 'manual' })
}

/** The addresses that the page links, as a browser takes them. */
const linksOf = (page: string) =>
  [...page.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) =>
    href
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  )

const hidesInstructions = (page: string) => {
  expect(page).not.toMatch(/src="\/qr\//)
  expect(page).not.toContain('href="/bank/')
  expect(page).not.toContain('data-copy=')
}

describe('a payment that is being cancelled', () => {
  test.each([
    ['a QR code', QR],
    ['a transfer', TRANSFER],
  ])('hides %s and says what happens', async (_, sells) => {
    const { id, url } = await sell(sells)
    expect((await cancel(id)).status).toBe(202)
    const page = await read(url)
    hidesInstructions(page)
    expect(page).toContain('This payment is being cancelled')
    expect(page).toContain('Please do not pay now')
    expect(page).not.toContain('Time left')
    expect(linksOf(page)).toContain(RETURN_URL)
    await trigger(id, 'confirm-cancel')
    expect(await read(url)).toContain('Payment cancelled')
  })

  test('accepts the receipt of a payer who has paid, and says so', async () => {
    const { id, url } = await sell(TRANSFER)
    await cancel(id)
    expect(await read(url)).toContain('Already paid?')
    expect((await upload(url)).status).toBe(303)
    expect(await read(url)).toContain('Your receipt is being checked.')
    await trigger(id, 'confirm-cancel')
    const page = await read(url)
    expect(page).toContain('You have sent a receipt. Please do not pay again')
    expect(page).not.toContain('No money was taken')
  })
})

describe('a payer who can still pay another way', () => {
  test('reads so before what is to be paid', async () => {
    for (const sells of [QR, TRANSFER]) {
      const page = await read((await sell(sells)).url)
      expect(page.indexOf('To pay another way')).toBeGreaterThan(page.indexOf('<h1>'))
      expect(page.indexOf('To pay another way')).toBeLessThan(page.indexOf('class="card"'))
    }
  })
})

describe('a payment that failed', () => {
  test.each([
    ['a usual code', { failure_code: 'insufficient_funds' }, 'There was not enough money in your account.'],
    ['a message', { failure_code: 'x1', failure_message: 'Ask <your> bank' }, 'Ask &lt;your&gt; bank'],
    ['neither', {}, 'Your bank or wallet did not carry out the payment.'],
  ])('says why, with %s, and leads back to the shop', async (_, failure, why) => {
    const { id, url } = await sell(QR)
    await trigger(id, 'fail', failure)
    const page = await read(url)
    expect(page).toContain(why)
    expect(linksOf(page)).toContain(RETURN_URL)
    expect(await read(`${url}&lang=th`)).toContain('ชำระเงินไม่สำเร็จ')
  })
})

describe('a payer who has paid', () => {
  test.each(['accept-receipt', undefined])('by transfer is not asked to pay (receipt: %s)', async verdict => {
    const { id, url } = await sell(TRANSFER)
    await upload(url)
    if (verdict) await trigger(id, verdict)
    const page = await read(url)
    expect(page).not.toContain('Transfer the amount')
    expect(page).not.toContain('Transfer exactly this amount')
    expect(page).not.toContain('Time left')
    expect(page).not.toMatch(/<title>Pay /)
    expect(linksOf(page)).toContain(RETURN_URL)
  })

  test('sees once why a receipt was rejected, and is not asked to pay again', async () => {
    const { id, url } = await sell(TRANSFER)
    await upload(url)
    await trigger(id, 'reject-receipt')
    const bare = await read(url)
    expect(bare.match(/not accepted|rejected/g)).toEqual(['not accepted'])
    expect(bare).toContain('If you have paid, do not pay again.')
    expect(linksOf(bare)).toContain(RETURN_URL)
    await upload(url, png(1))
    await trigger(id, 'reject-receipt', { failure_message: 'Amount is not legible' })
    expect((await read(url)).match(/not accepted|rejected|Amount is not legible/g)).toEqual([
      'not accepted',
      'Amount is not legible',
    ])
  })

  test.each(['fail', 'expire'])('is told not to pay again after a later %s', async end => {
    const { id, url } = await sell(TRANSFER)
    await upload(url)
    await trigger(id, end)
    const page = await read(url)
    expect(page).toContain('You have sent a receipt. Please do not pay again')
    expect(page).not.toContain('No money was taken')
    const { id: scanned, url: code } = await sell(QR)
    await trigger(scanned, end)
    expect(await read(code)).toContain('If you have already paid, please do not pay again')
  })

  test('gets no error from a double click', async () => {
    const { url } = await sell()
    const choice = { act: 'choose', method: 'th_bank_transfer', customer_name: 'Malee', bank: 'scb' }
    expect([(await press(url, choice)).status, (await press(url, choice)).status]).toEqual([303, 303])
    // Another way to pay than the one that was started.
    expect((await press(url, { act: 'choose', method: 'th_promptpay' })).status).toBe(422)
    expect([(await upload(url)).status, (await upload(url)).status]).toEqual([303, 303])
    const other = await upload(url, png(1))
    expect([other.status, await other.text()]).toEqual([
      422,
      expect.stringContaining('A different receipt was already sent for this payment.'),
    ])
  })

  test('sees the result on both of two open bank pages', async () => {
    const { id, url } = await sell(BANK)
    const bank = new URL(linksOf(await read(url)).find(href => href.startsWith('/bank/')) ?? '', url).href
    expect([
      (await press(bank, { act: 'succeed' })).status,
      (await press(bank, { act: 'succeed' })).status,
    ]).toEqual([303, 303])
    const late = await press(bank, { act: 'fail' })
    expect([late.status, await late.text()]).toEqual([
      422,
      expect.stringContaining('You approved this payment'),
    ])
    expect(await read(url)).toContain('Payment received')
    expect((await server.as(account)('GET', `/payment_intents/${id}`)).body.status).toBe('succeeded')
  })

  test('sees the result after the action has ended', async () => {
    const { id, url } = await sell(QR)
    await trigger(id, 'withdraw-action')
    const page = await read(url)
    expect(page).toContain('If you have paid, you do not need to do anything else.')
    expect(page).not.toMatch(AGAIN)
    expect(linksOf(page)).toContain(RETURN_URL)
    await trigger(id, 'succeed')
    expect(await read(url)).toContain('Payment received')
  })
})

describe('a payment for which no method was chosen', () => {
  const pressable = (page: string) =>
    page.match(/(?<=<button class="small" name="act" value=")[^"]*">[^<]*(?=<)/g)

  test('can fail or expire by the simulator, but cannot be approved or declined', async () => {
    const { id, url } = await sell()
    expect(pressable(await read(url))?.slice(0, 2)).toEqual(['fail">Make it fail', 'expire">Make it expire'])
    expect((await press(url, { act: 'succeed' })).status).toBe(422)
    expect((await trigger(id, 'succeed')).status).toBe(422)
    expect((await press(url, { act: 'fail' })).status).toBe(303)
    expect(await read(url)).toContain('No money was taken.')
  })

  test('is not shown as in progress while its action is withdrawn', async () => {
    const { id, url } = await sell()
    await trigger(id, 'withdraw-action')
    const page = await read(url)
    expect(page).toContain('You cannot pay here right now')
    expect(page).not.toMatch(/being processed|Pay with|when a method is chosen/)
    expect(linksOf(page)).toContain(RETURN_URL)
    await trigger(id, 'present-action')
    expect(await read(url)).toContain('How would you like to pay?')
  })
})

describe('the way back to the shop', () => {
  test.each(['succeed', 'fail', 'expire'])('is on the page after %s, unchanged', async name => {
    const { id, url } = await sell(QR)
    await trigger(id, name)
    expect(linksOf(await read(url))).toContain(RETURN_URL)
  })

  test('is on the page if no method is available', async () => {
    const providers = ['banyan', 'monsoon']
    const { url } = await sell()
    const health = (healthy: boolean) =>
      providers.map(id =>
        server.control('PATCH', `/accounts/${account.id}/catalogue/providers/${id}`, { body: { healthy } }),
      )
    await Promise.all(health(false))
    const page = await read(url)
    await Promise.all(health(true))
    expect(page).toContain('No payment method is available right now.')
    expect(linksOf(page)).toContain(RETURN_URL)
  })

  test('is on the page of an expired link, and a payer who has paid is not asked again', async () => {
    const other = await startWithContract({ 'hosted.page': '30m' })
    try {
      const { id, test } = await other.merchant({ clock: { mode: 'virtual' } })
      const body = { ...ORDER, ...QR, return_url: RETURN_URL }
      const made = await other.as(test)('POST', '/payment_intents', { body })
      const { url } = made.body.next_action
      await other.control('POST', `/accounts/${id}.test/clock/advance`, { body: { by: '31m' } })
      const answer = await fetch(url)
      const page = await answer.text()
      expect([answer.status, page]).toEqual([410, expect.stringContaining('This link has expired')])
      expect(page).toContain('If you have already paid, please do not pay again')
      expect(linksOf(page)).toContain(RETURN_URL)
      await other.control('POST', `/accounts/${id}.test/payments/${made.body.id}/succeed`, { body: {} })
      expect(await read(url)).toContain('Payment received')
    } finally {
      await other.stop()
      await removeDirectory(other.dataDir)
    }
  })

  test('is not shown for a forged link', async () => {
    const { url } = await sell()
    const forged = await read(`${url}x`)
    expect(forged).toContain('Please go back to the shop')
    expect(forged).not.toContain('shop.example')
  })
})

describe('the choice of a method', () => {
  test("starts with PromptPay, uses the payer's words, and offers to choose another method", async () => {
    const { url } = await sell()
    const page = await read(url)
    const names = [...page.matchAll(/<span class="name">([^<]*)/g)].map(([, name]) => name)
    expect(names[0]).toBe('PromptPay QR')
    expect(page).not.toMatch(/on request|named Thai account/)
    expect(page).toContain('Your bank')
    expect(page.match(/Choose another payment method/g)).toHaveLength(names.length)
    const thai = await read(`${url}&lang=th`)
    const thaiNames = [...thai.matchAll(/<span class="name">([^<]*)/g)].map(([, name = '']) => name)
    for (const name of thaiNames) expect(name).toMatch(/\p{Script=Thai}/u)
  })

  test('shows who owns the receiving account', async () => {
    const { url } = await sell(TRANSFER)
    expect(await read(url)).toMatch(/Transfer exactly this amount to the shop’s account[\s\S]*Shop’s bank/)
    const { url: own } = await sell({ payment_method: 'th_virtual_account', customer: { name: 'Malee' } })
    expect((await read(own)).split('<section class="card">')[1]).not.toContain('Transfer to an account')
  })
})
