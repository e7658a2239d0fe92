import { describe, expect, test } from 'vitest'
import { type Account, type Merchant, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import { MAIN, probeCatalogue } from '../../support/gateway/probe-catalogue.ts'
import { contractServer, sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectFresh, expectInvalid, expectReplay } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { attach, storeAsset, upload } from '../../support/payments/receipts.ts'
import { hosted, paying } from '../../support/payments/requests.ts'

/** A request sent again, after everything around it has changed. */

const server = sharedServer()

const create = (account: Account, key: string, body: unknown) =>
  account.call('POST', '/payment_intents', { body, headers: { 'idempotency-key': key } })
const keyed = (key: string) => ({ 'idempotency-key': key })

/** Everything that may change for a merchant after an answer was kept. */
const changes: [string, (merchant: Merchant) => Promise<unknown>][] = [
  ['the catalogue lost every method', ({ test: account }) => putCatalogue(account, () => [])],
  [
    'the route of the method is gone',
    ({ test: account }) => putCatalogue(account, routes => routes.slice(6)),
  ],
  ['the provider is not healthy', ({ test: account }) => account.setHealth(MAIN, false)],
  [
    'the policy denies every mode',
    ({ id }) => server().control('PATCH', `/merchants/${id}`, { body: { checkout_modes: [] } }),
  ],
  ['a day but a second passed', ({ test: account }) => account.advance('23h59m59s')],
]

const putCatalogue = async (account: Account, change: Parameters<typeof probeCatalogue>[0]) => {
  const answer = await account.control('PUT', '/catalogue', { body: probeCatalogue(change) })
  expect(answer.status, answer.text).toBe(200)
}

describe.each(changes)('when %s, a repeat with the same key gets the first answer', (_, change) => {
  test('for a create in merchant and hosted mode', async () => {
    const merchant = await openMerchant(server())
    const bodies = [paying('probe_receipt'), hosted()]
    const firsts = await Promise.all(bodies.map((body, at) => create(merchant.test, `k${at}`, body)))
    await change(merchant)
    for (const [at, first] of firsts.entries()) {
      expect(first.status).toBe(201)
      expectReplay(await create(merchant.test, `k${at}`, bodies[at]), first)
    }
  })

  test('for a create that was refused with 422', async () => {
    const merchant = await openMerchant(server())
    const first = await create(merchant.test, 'k', paying('probe_sick'))
    expectError(first, 422, 'routing_unavailable')
    await change(merchant)
    expectReplay(await create(merchant.test, 'k', paying('probe_sick')), first)
  })

  test('for a cancellation and a receipt', async () => {
    const merchant = await openMerchant(server())
    const { test: account } = merchant
    const { id } = await account.pay('probe_receipt')
    const receipt = await upload(account, id, png(), { key: 'k' })
    const cancelled = await account.cancel(id, keyed('k'))
    expect([receipt.status, cancelled.status]).toEqual([200, 202])
    await change(merchant)
    expectReplay(await upload(account, id, png(), { key: 'k' }), receipt)
    expectReplay(await account.cancel(id, keyed('k')), cancelled)
  })
})

test('a revoked key pair is 401 instead of the stored answer, which another pair gets', async () => {
  const account = await openAccount(server())
  const body = paying('probe_transfer')
  const first = await create(account, 'k', body)
  const pair = (await account.control('POST', '/keys', { body: {} })).body
  expect((await account.control('DELETE', `/keys/${account.keys.public_key}`)).status).toBe(204)
  expectError(await create(account, 'k', body), 401, 'unauthorized')
  const again = await server().as(pair)('POST', '/payment_intents', { body, headers: keyed('k') })
  expectReplay(again, first)
})

describe('a key is not used up by', () => {
  test('403: the same key creates once the policy allows it', async () => {
    const merchant = await openMerchant(server(), { checkout_modes: ['hosted'] })
    const body = paying('probe_transfer')
    expectError(await create(merchant.test, 'k', body), 403, 'checkout_mode_not_allowed')
    const modes = { body: { checkout_modes: ['merchant'] } }
    await server().control('PATCH', `/merchants/${merchant.id}`, modes)
    expectFresh(await create(merchant.test, 'k', body), 201)
  })

  test('400: of the body, of a bank, of fields that the route requires', async () => {
    const account = await openAccount(server())
    for (const body of [
      hosted({ amount: '0' }),
      paying('probe_transfer', { payment_method_options: { bank: 'alpha' } }),
      paying('probe_form', { customer: {} }),
    ])
      expectError(await create(account, 'k', body), 400, 'validation_failed')
    expectFresh(await create(account, 'k', hosted()), 201)
  })

  test('404: a receipt for an intent that does not exist', async () => {
    const account = await openAccount(server())
    expectError(await upload(account, 'pi_none', png(), { key: 'k' }), 404, 'not_found')
    expectFresh(await upload(account, (await account.pay('probe_receipt')).id, png(), { key: 'k' }), 200)
  })
})

describe('idempotency.refusals', () => {
  const forgetting = contractServer({ 'idempotency.refusals': 'forget' })
  const body = paying('probe_transfer')

  test('keep: a create refused during an outage stays refused under its key afterwards', async () => {
    const account = await openAccount(server())
    await account.setHealth(MAIN, false)
    const first = await create(account, 'k', body)
    expectError(first, 422, 'routing_unavailable')
    await account.setHealth(MAIN, true)
    expectReplay(await create(account, 'k', body), first)
    expectError(await create(account, 'k', hosted()), 409, 'idempotency_conflict')
  })

  test('forget: it is executed later, and another request may use the key', async () => {
    const account = await openAccount(forgetting())
    await account.setHealth(MAIN, false)
    for (const again of [body, body, hosted({ payment_method: 'probe_qr' })])
      expectError(await create(account, 'k', again), 422, 'routing_unavailable')
    await account.setHealth(MAIN, true)
    const made = await create(account, 'k', body)
    expectFresh(made, 201)
    expectReplay(await create(account, 'k', body), made)
    expectError(await create(account, 'k', hosted()), 409, 'idempotency_conflict')
  })

  test('forget: a cancellation and a receipt refused for their state can be retried', async () => {
    const account = await openAccount(forgetting())
    const { id } = await account.pay('probe_receipt')
    await account.trigger(id, 'withdraw-action')
    expectError(await account.cancel(id, keyed('k')), 422, 'invalid_state')
    expectError(await upload(account, id, png(), { key: 'k' }), 422, 'invalid_state')
    await account.trigger(id, 'present-action')
    expectFresh(await upload(account, id, png(), { key: 'k' }), 200)
    expectFresh(await account.cancel(id, keyed('k')), 202)
  })
})

const ends: [string, (account: Account, id: string) => Promise<unknown>][] = [
  ['succeeded', (account, id) => account.trigger(id, 'succeed')],
  ['failed', (account, id) => account.trigger(id, 'fail')],
  ['expired', account => account.advance('72h')],
  [
    'was cancelled',
    async (account, id) => {
      await account.cancel(id)
      await account.trigger(id, 'confirm-cancel')
    },
  ],
]

describe.each(ends)('when the payment %s', (_, end) => {
  test.each([
    ['while it is verified', undefined],
    ['after it was accepted', 'accept-receipt'],
  ])(
    'repeating the receipt is 200 with the current intent and no second submission: %s',
    async (_, verdict) => {
      const account = await openAccount(server(), { rules: [{ receipt: 'manual', cancel: 'manual' }] })
      const { id } = await account.pay('probe_receipt')
      const asset_id = await storeAsset(account, png(1))
      expect((await attach(account, id, { asset_id })).status).toBe(200)
      if (verdict) await account.trigger(id, verdict)
      await end(account, id)
      const now = await account.read(id)
      expect(now.next_action).toBeNull()
      for (const answer of [await attach(account, id, { asset_id }), await upload(account, id, png(1))])
        expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: now })
      expectError(await upload(account, id, png(2)), 422, 'invalid_state')
      expectError(
        await attach(account, id, { asset_id: await storeAsset(account, png(3)) }),
        422,
        'invalid_state',
      )
      expect(await account.providerCalls(id, 'submit_receipt')).toBe(1)
    },
  )

  test.each([
    ['accept', 'accept-receipt', 'submitted'],
    ['reject', 'reject-receipt', 'rejected'],
  ])(
    'a verification in flight continues, by rule or by hand, and changes only the receipt: %s',
    async (verdict, trigger, status) => {
      const outcome = { after: '1s', status: 'failed' }
      const scripted = { receipt: [{ after: '100h', verdict }], outcome, cancel: 'manual' }
      for (const byHand of [false, true]) {
        const account = await openAccount(server(), { rules: [scripted] })
        const { id } = await account.pay('probe_receipt')
        await upload(account, id, png())
        await end(account, id)
        const { receipt, updated_at: _, ...ended } = await account.read(id)
        expect(receipt).toEqual({ status: 'processing' })
        if (byHand) expect((await account.trigger(id, trigger)).status).toBe(200)
        else await account.advance('100h')
        const judged = await account.read(id)
        expect(judged).toMatchObject({ ...ended, receipt: { status } })
        await account.advance('200h')
        expect(await account.read(id)).toEqual(judged)
        expectError(await account.trigger(id, trigger), 422, 'invalid_state')
        expectError(await upload(account, id, png(2)), 422, 'invalid_state')
      }
    },
  )
})

const BLANKS = [' ', '\t\n', '\u00a0\u3000']

/** Without the routes that take any amount, be it at a provider that is never healthy. */
const narrower = () =>
  probeCatalogue(routes =>
    routes.filter(({ method, min_amount }) => method !== 'probe_vast' && min_amount !== '1'),
  )

describe('the error of a create request without an available method', () => {
  test('a bank for a method without banks is 400, in both modes', async () => {
    const account = await openAccount(server())
    for (const body of [
      paying,
      (method: string, more: object) => hosted({ payment_method: method, ...more }),
    ])
      expectInvalid(
        await account.call('POST', '/payment_intents', {
          body: body('probe_transfer', { payment_method_options: { bank: 'alpha' } }),
        }),
        'payment_method_options.bank',
      )
  })

  test.each([
    ['hosted, without a method', hosted({ amount: '99' }), /100 to 200000000/],
    ['hosted, with one', hosted({ amount: '99', payment_method: 'probe_narrow' }), /500 to 900/],
    ['merchant', paying('probe_narrow', { amount: '901' }), /500 to 900/],
  ])('the error for an amount outside all limits names them: %s', async (_, body, limits) => {
    const account = await openAccount(server(), {
      catalogue: narrower(),
    })
    const answer = await account.call('POST', '/payment_intents', { body })
    expectError(answer, 422, 'routing_unavailable')
    expect(answer.body.error.message).toMatch(limits)
  })

  describe('errors.amount_limits', () => {
    const other = contractServer({ 'errors.amount_limits': 'payment_configuration_unavailable' })

    test('also applies without a method, and an outage is still routing_unavailable', async () => {
      const account = await openAccount(other(), { catalogue: narrower() })
      const small = await account.call('POST', '/payment_intents', { body: hosted({ amount: '1' }) })
      expectError(small, 422, 'payment_configuration_unavailable')
      for (const { id } of probeCatalogue().providers) await account.setHealth(id, false)
      const out = await account.call('POST', '/payment_intents', { body: hosted() })
      expectError(out, 422, 'routing_unavailable')
    })
  })

  test.each([
    'customer.name',
    'customer.phone',
    'payment_method_options.account_name',
    'payment_method_options.account_number',
    'payment_method_options.name_th',
  ])('a blank %s is 400', async field => {
    const account = await openAccount(server())
    const [object = '', member = ''] = field.split('.')
    for (const blank of BLANKS)
      for (const method of ['probe_form', 'probe_transfer']) {
        const body = paying(method, { [object]: { [member]: blank } })
        expectInvalid(await account.call('POST', '/payment_intents', { body }), field)
      }
  })

  test("a merchant's name and a payout's bank code and holder name must not be blank", async () => {
    const account = await openAccount(server())
    const recipient = { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '1234567890' }
    const payout = { amount: '100', currency: 'THB', country: 'TH', merchant_reference: 'refund-1' }
    for (const blank of BLANKS) {
      expectInvalid(await server().control('POST', '/merchants', { body: { name: blank } }), 'name')
      for (const member of ['bank_code', 'holder_name'])
        expectInvalid(
          await account.control('POST', '/payouts', {
            body: { ...payout, recipient: { ...recipient, [member]: blank } },
          }),
          `recipient.${member}`,
        )
    }
  })
})
