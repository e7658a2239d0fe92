import { describe, expect, test } from 'vitest'
import { type Json, openAccount, openMerchant, rows, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { notBehindBalancer } from '../../support/gateway/worker-server.ts'
import { expectRefusal, invalid, notFound } from '../../support/http/refusals.ts'
import { imageForm, pngImage, sha256 } from '../../support/payments/images.ts'
import {
  attachAsset,
  createPayment,
  createTransfer,
  paymentBody,
  postPayment,
  storeAsset,
  uploadReceipt,
} from '../../support/payments/payments.ts'
import { addPayout, idsOf } from '../../support/payments/payouts.ts'
import { RFC_3339_UTC_MS, shifted } from '../../support/time/instants.ts'

const server = sharedServer()

describe('records on the control surface', () => {
  test('payments include customer and route, which the merchant API hides', async () => {
    const account = await openAccount(server())
    const payment = await createPayment(account, {
      customer: { name: 'Malee Srisuk', phone: '+66812345678' },
    })
    const found = await rows(account.control('GET', '/payments'))
    expect(found).toMatchObject([{ id: payment.id, status: 'pending', customer: { name: 'Malee Srisuk' } }])
    expect(JSON.stringify(found[0].route)).toContain('zqroute-')
  })

  test('the payout list has all payouts of the account and no others', async () => {
    const merchant = await openMerchant(server())
    const payouts = [await addPayout(merchant.test), await addPayout(merchant.test)]
    await addPayout(merchant.live)
    expect(idsOf(await rows(merchant.test.control('GET', '/payouts'))).sort()).toEqual(idsOf(payouts).sort())
  })
})

describe('assets', () => {
  test('an upload is answered with its digest, size and type', async () => {
    const account = await openAccount(server())
    const bytes = pngImage(3)
    const answer = await account.control('POST', '/assets', { raw: imageForm(3) })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      id: expect.stringMatching(/^ast_[0-9A-Za-z]{24}$/),
      object: 'asset',
      kind: 'payment_receipt',
      size: bytes.length,
      content_type: 'image/png',
      created_at: await account.now(),
    })
    expect(answer.body.digest).toContain(sha256(bytes))
  })

  test('an asset is attached to a payment of its account', async () => {
    const account = await openAccount(server())
    const [asset, payment] = [await storeAsset(account), await createTransfer(account)]
    expect(await succeeded(attachAsset(account, payment.id, asset.id))).toMatchObject({
      receipt: { status: 'processing' },
    })
  })

  test('an asset of kind other is refused as a receipt', async () => {
    const account = await openAccount(server())
    const [asset, payment] = [await storeAsset(account, 1, { kind: 'other' }), await createTransfer(account)]
    expect(asset.kind).toBe('other')
    expectRefusal(await attachAsset(account, payment.id, asset.id), invalid('asset_id'))
  })

  test('an unknown kind and an upload without a file are refused', async () => {
    const account = await openAccount(server())
    expectRefusal(
      await account.control('POST', '/assets', { raw: imageForm(1, { kind: 'poem' }) }),
      invalid('kind'),
    )
    const empty = new FormData()
    empty.append('kind', 'other')
    expectRefusal(await account.control('POST', '/assets', { raw: empty }), invalid('file'))
  })
})

describe('history', () => {
  test('lists a record’s journal entries, oldest first', async () => {
    const account = await openAccount(server())
    const start = await account.now()
    const { id } = await createPayment(account)
    await account.advance('1m')
    await succeeded(account.cancel(id))
    await account.advance('5s')
    const entries = await rows(account.control('GET', `/history/${id}`))
    const times = entries.map((entry: Json) => entry.at)
    expect(times).toEqual([...times].sort())
    expect(times[0]).toBe(start)
    expect(times.at(-1)).toBe(shifted(start, 65_000))
    expect(entries.length).toBeGreaterThanOrEqual(3)
  })

  test('contains nothing about other records', async () => {
    const account = await openAccount(server())
    const [one, other] = [await createPayment(account), await createPayment(account)]
    const history = await account.control('GET', `/history/${one.id}`)
    expect(history.text).toContain(one.id)
    expect(history.text).not.toContain(other.id)
  })

  test('shows the SHA-256 of a receipt’s image', async () => {
    const account = await openAccount(server())
    const { id } = await createTransfer(account)
    await succeeded(uploadReceipt(account, id, 'key', 42))
    expect((await account.control('GET', `/history/${id}`)).text).toContain(sha256(pngImage(42)))
  })

  test('exists for payouts too, and is 404 for another account’s record', async () => {
    const merchant = await openMerchant(server())
    const payout = await addPayout(merchant.test)
    expect(await rows(merchant.test.control('GET', `/history/${payout.id}`))).not.toEqual([])
    expectRefusal(await merchant.live.control('GET', `/history/${payout.id}`), notFound)
  })
})

describe('provider calls', () => {
  const calls = async (account: Awaited<ReturnType<typeof openAccount>>) =>
    (await rows(account.control('GET', '/provider-calls'))).map((row: Json) => [row.call, row.payment])

  test('record what the gateway asked, when, and for which payment', async () => {
    const account = await openAccount(server())
    const { id } = await createTransfer(account)
    await succeeded(uploadReceipt(account, id, 'key'))
    await succeeded(account.trigger(id, 'reject-receipt'))
    await succeeded(uploadReceipt(account, id, 'another key', 2))
    await succeeded(account.cancel(id))
    const made = await calls(account)
    expect(made.sort()).toEqual([
      ['cancel', id],
      ['start', id],
      ['submit_receipt', id],
      ['submit_receipt', id],
    ])
    for (const row of await rows(account.control('GET', '/provider-calls'))) {
      expect(row.at).toMatch(RFC_3339_UTC_MS)
    }
  })

  test('a repeated request makes no second call', async () => {
    const account = await openAccount(server())
    const [transfer, qr] = [await createTransfer(account), await createPayment(account)]
    await succeeded(uploadReceipt(account, transfer.id, 'key'))
    await succeeded(uploadReceipt(account, transfer.id, 'key'))
    await succeeded(uploadReceipt(account, transfer.id, 'another key'))
    await succeeded(account.cancel(qr.id))
    await succeeded(account.cancel(qr.id))
    const made = (await calls(account)).map(([call]) => call)
    expect(made.filter(call => call === 'submit_receipt')).toHaveLength(1)
    expect(made.filter(call => call === 'cancel')).toHaveLength(1)
  })

  test('a refused creation makes no call', async () => {
    const account = await openAccount(server())
    expectRefusal(await postPayment(account, paymentBody({ amount: '1' })), {
      status: 422,
      code: 'routing_unavailable',
    })
    expect(await calls(account)).toEqual([])
  })
})

describe('requests', () => {
  test('are listed newest first, with the answer and the ignored members', async () => {
    const account = await openAccount(server())
    const created = await postPayment(account, paymentBody({ colour: 'red' }))
    const missing = await account.call('GET', '/payment_intents/pi_000000000000000000000000')
    const [newest, older] = await rows(account.control('GET', '/requests'))
    expect(newest).toMatchObject({ method: 'GET', status: 404, ms: expect.any(Number) })
    expect(newest.path).toContain('/payment_intents/pi_000000000000000000000000')
    expect(JSON.stringify(newest)).toContain(missing.headers.get('request-id'))
    expect(older).toMatchObject({ method: 'POST', path: '/payment_intents', status: 201 })
    expect(JSON.stringify(older)).toContain(created.headers.get('request-id'))
    expect(JSON.stringify(older)).toContain('colour')
  })

  test('show no secret', async () => {
    const account = await openAccount(server())
    await createPayment(account)
    const { public_key, secret_key } = account.keys
    const { text } = await account.control('GET', '/requests')
    expect(text).toContain('/payment_intents')
    expect(text).not.toContain(secret_key)
    expect(text).not.toContain(Buffer.from(`${public_key}:${secret_key}`).toString('base64'))
  })

  test.skipIf(notBehindBalancer('700 calls, each on a connection of its own'))(
    'belong to one account, and their number is limited',
    async () => {
      const merchant = await openMerchant(server())
      const read = () => server().as(merchant.test.keys)('GET', '/payout_intents?limit=1')
      // A few at a time, so that they share connections: a system may refuse hundreds of new ones at once.
      for (let made = 0; made < 700; made += 50) await Promise.all(Array.from({ length: 50 }, read))
      expect(await rows(merchant.live.control('GET', '/requests'))).toEqual([])
      const kept = await rows(merchant.test.control('GET', '/requests'))
      expect(kept.length).toBeGreaterThanOrEqual(10)
      expect(kept.length).toBeLessThan(700)
    },
  )
})
