import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Merchant, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectFresh, expectInvalid, withoutIdentity } from '../../support/http/answers.ts'
import { jpeg, png } from '../../support/payments/receipt-images.ts'
import { attach, receiptOf, storeAsset, upload } from '../../support/payments/receipts.ts'

const server = sharedServer()
let merchant: Merchant
let account: Account

beforeAll(async () => {
  merchant = await openMerchant(server())
  account = merchant.test
})

const newIntent = async () => (await account.pay('probe_receipt')).id as string
const NEVER = `ast_${'0'.repeat(24)}`

describe('an asset', () => {
  test.each([
    ['stored as a receipt by default', png(), undefined],
    ['stored as a payment_receipt', png(), 'payment_receipt'],
    ['a JPEG', jpeg(), undefined],
  ])('%s is attached without an idempotency key', async (_, image, kind) => {
    const id = await newIntent()
    const answer = await attach(account, id, { asset_id: await storeAsset(account, image, kind) })
    expectFresh(answer, 200)
    expect(answer.body).toMatchObject({ id, status: 'pending', receipt: { status: 'processing' } })
    expect(answer.body.next_action).not.toBeNull()
    expect(await account.read(id)).toEqual(answer.body)
    expect(await account.providerCalls(id, 'submit_receipt')).toBe(1)
  })

  test('of another kind: 400', async () => {
    const id = await newIntent()
    const answer = await attach(account, id, { asset_id: await storeAsset(account, png(), 'other') })
    expectInvalid(answer, 'asset_id')
    expect(await receiptOf(account, id)).toEqual({ status: 'required' })
  })

  test('attached to another intent: 422 invalid_state', async () => {
    const asset_id = await storeAsset(account, png())
    const first = await newIntent()
    await attach(account, first, { asset_id })
    const second = await newIntent()
    expectError(await attach(account, second, { asset_id }), 422, 'invalid_state')
    expect(await receiptOf(account, second)).toEqual({ status: 'required' })
  })

  test('attached to another intent stays attached after a rejection and the end of that intent', async () => {
    const asset_id = await storeAsset(account, png())
    const first = await newIntent()
    await attach(account, first, { asset_id })
    await account.trigger(first, 'reject-receipt')
    expectError(await attach(account, await newIntent(), { asset_id }), 422, 'invalid_state')
    await account.trigger(first, 'fail')
    expectError(await attach(account, await newIntent(), { asset_id }), 422, 'invalid_state')
  })

  test('refused for one intent can be attached to another', async () => {
    const asset_id = await storeAsset(account, png())
    expectError(
      await attach(account, (await account.pay('probe_transfer')).id, { asset_id }),
      422,
      'provider_capability_unsupported',
    )
    expectFresh(await attach(account, await newIntent(), { asset_id }), 200)
  })

  test('with an unknown id: 404 not_found', async () => {
    expectError(await attach(account, await newIntent(), { asset_id: NEVER }), 404, 'not_found')
  })

  test.each(['ast_none', '__proto__', 'constructor', 'pi_x', '../../etc/passwd', 'a'.repeat(5000)])(
    'with the malformed id %s: 404 not_found',
    async asset_id => {
      expectError(await attach(account, await newIntent(), { asset_id }), 404, 'not_found')
    },
  )

  test('of another merchant or of the other environment gets the same answer as an unknown one', async () => {
    const stranger = await openAccount(server())
    const id = await newIntent()
    const never = withoutIdentity(await attach(account, id, { asset_id: NEVER }), NEVER)
    for (const owner of [stranger, merchant.live]) {
      const asset_id = await storeAsset(owner, png())
      expect(withoutIdentity(await attach(account, id, { asset_id }), asset_id)).toEqual(never)
      expectFresh(await attach(owner, (await owner.pay('probe_receipt')).id, { asset_id }), 200)
    }
  })
})

describe('the body', () => {
  test.each([[undefined], [5], [null], [true], [[]], [{}], [['ast_none']]])(
    'asset_id = %j: 400',
    async asset_id => {
      expectInvalid(await attach(account, await newIntent(), { asset_id }), 'asset_id')
    },
  )

  test.each(['', '{', '[]', '"ast_none"', 'null', '5'])('%j: 400', async raw => {
    const answer = await account.call('POST', `/payment_intents/${await newIntent()}/receipt`, {
      raw,
      headers: { 'content-type': 'application/json' },
    })
    expectError(answer, 400, 'validation_failed')
  })

  test('may have unknown members', async () => {
    const asset_id = await storeAsset(account, png())
    expectFresh(await attach(account, await newIntent(), { asset_id, file: 'x', note: [1] }), 200)
  })
})

describe('an Idempotency-Key beside JSON is ignored', () => {
  test('it replays nothing and conflicts with nothing', async () => {
    const headers = { 'idempotency-key': 'ignored' }
    const [first, second] = [await newIntent(), await newIntent()]
    const asset_id = await storeAsset(account, png())
    expectFresh(await attach(account, first, { asset_id }, headers), 200)
    expectFresh(await attach(account, first, { asset_id }, headers), 200)
    const other = { asset_id: await storeAsset(account, png(9)) }
    expectError(await attach(account, first, other, headers), 422, 'invalid_state')
    expectFresh(await attach(account, second, other, headers), 200)
  })

  test('even one that no other operation would accept', async () => {
    const body = { asset_id: await storeAsset(account, png()) }
    expectFresh(await attach(account, await newIntent(), body, { 'idempotency-key': 'k'.repeat(256) }), 200)
  })

  test('a key used with JSON can be used for an upload', async () => {
    const id = await newIntent()
    await attach(account, id, { asset_id: await storeAsset(account, png(1)) }, { 'idempotency-key': 'both' })
    await account.trigger(id, 'reject-receipt')
    expectFresh(await upload(account, id, png(2), { key: 'both' }), 200)
  })
})

describe.each([
  ['asset', async (id: string) => attach(account, id, { asset_id: await storeAsset(account, png()) })],
  ['upload', (id: string) => upload(account, id, png())],
] as const)('a receipt by %s is refused for', (_, submit) => {
  test.each(['probe_transfer', 'probe_qr', 'probe_redirect'])(
    'an intent with %s, which accepts no receipt',
    async method => {
      const made = await account.pay(method)
      expectError(await submit(made.id), 422, 'provider_capability_unsupported')
      expect(await account.read(made.id)).toEqual(made)
    },
  )

  test('a hosted intent without a method', async () => {
    expectError(await submit((await account.payHosted()).id), 422, 'provider_capability_unsupported')
  })

  test.each(['succeed', 'fail', 'expire', 'withdraw-action'])('an intent after %s', async trigger => {
    const id = await newIntent()
    await account.trigger(id, trigger)
    const before = await account.read(id)
    expectError(await submit(id), 422, 'invalid_state')
    expect(await account.read(id)).toEqual(before)
    expect(await account.providerCalls(id, 'submit_receipt')).toBe(0)
  })
})
