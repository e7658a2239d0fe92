import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectFresh, expectReplay } from '../../support/http/answers.ts'
import { imageFile } from '../../support/http/multipart.ts'
import { png } from '../../support/payments/receipt-images.ts'
import {
  attach,
  freshKey,
  receiptOf,
  storeAsset,
  upload,
  uploadParts,
} from '../../support/payments/receipts.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const newIntent = async () => (await account.pay('probe_receipt')).id as string
const submissions = (id: string) => account.providerCalls(id, 'submit_receipt')

describe('an upload repeated with its key', () => {
  test('is replayed despite a new boundary', async () => {
    const [id, key] = [await newIntent(), freshKey()]
    const first = await upload(account, id, png(), { key, boundary: 'one' })
    expectFresh(first, 200)
    expectReplay(await upload(account, id, png(), { key, boundary: 'another-one' }), first)
    expect(await submissions(id)).toBe(1)
  })

  test('is replayed despite another file name, declared type and other fields', async () => {
    const [id, key] = [await newIntent(), freshKey()]
    const first = await upload(account, id, png(), { key })
    const parts = [
      { name: 'note', content: 'again' },
      imageFile(png(), { filename: 'b.jpg', type: 'image/jpeg' }),
    ]
    expectReplay(await uploadParts(account, id, parts, { key }), first)
  })

  test('gets the first answer even after the receipt was rejected', async () => {
    const [id, key] = [await newIntent(), freshKey()]
    const first = await upload(account, id, png(), { key })
    await account.trigger(id, 'reject-receipt')
    expectReplay(await upload(account, id, png(), { key }), first)
    expect((await receiptOf(account, id)).status).toBe('rejected')
    expect(await submissions(id)).toBe(1)
  })

  test('but another image: 409 idempotency_conflict', async () => {
    const [id, key] = [await newIntent(), freshKey()]
    const first = await upload(account, id, png(1), { key })
    expectError(await upload(account, id, png(2), { key }), 409, 'idempotency_conflict')
    expectReplay(await upload(account, id, png(1), { key }), first)
  })

  test('but another image conflicts even if the receipt may be replaced', async () => {
    const [id, key] = [await newIntent(), freshKey()]
    await upload(account, id, png(1), { key })
    await account.trigger(id, 'reject-receipt')
    expectError(await upload(account, id, png(2), { key }), 409, 'idempotency_conflict')
    expect(await submissions(id)).toBe(1)
  })

  test('is remembered for 24 hours: 23:59:59 replays, 24:00:00 is checked against the state', async () => {
    const own = await openAccount(server())
    const [same, other] = [await own.pay('probe_receipt'), await own.pay('probe_receipt')]
    const first = await upload(own, same.id, png(1), { key: 'day' })
    await upload(own, other.id, png(1), { key: 'day' })
    await own.advance('23h59m59s')
    expectReplay(await upload(own, same.id, png(1), { key: 'day' }), first)
    expectError(await upload(own, other.id, png(2), { key: 'day' }), 409, 'idempotency_conflict')
    await own.advance('1s')
    await own.trigger(same.id, 'present-action')
    await own.trigger(other.id, 'present-action')
    const fresh = await upload(own, same.id, png(1), { key: 'day' })
    expectFresh(fresh, 200)
    expect(fresh.body.receipt).toEqual({ status: 'submitted' })
    expect(await own.providerCalls(same.id, 'submit_receipt')).toBe(1)
    expectError(await upload(own, other.id, png(2), { key: 'day' }), 422, 'invalid_state')
  })

  test('on another intent is another request, with its own image', async () => {
    const [first, second, key] = [await newIntent(), await newIntent(), freshKey()]
    await upload(account, first, png(1), { key })
    const answer = await upload(account, second, png(2), { key })
    expectFresh(answer, 200)
    expect(answer.body.id).toBe(second)
  })

  test('on another intent with the same image is another request', async () => {
    const [first, second, key] = [await newIntent(), await newIntent(), freshKey()]
    await upload(account, first, png(), { key })
    const answer = await upload(account, second, png(), { key })
    expectFresh(answer, 200)
    expect(answer.body.id).toBe(second)
    expect(await submissions(second)).toBe(1)
  })

  test('by another merchant is another request', async () => {
    const stranger = await openAccount(server())
    const key = freshKey()
    await upload(account, await newIntent(), png(1), { key })
    const theirs = (await stranger.pay('probe_receipt')).id
    expectFresh(await upload(stranger, theirs, png(2), { key }), 200)
  })

  test('is not remembered when the file was refused', async () => {
    const [id, key] = [await newIntent(), freshKey()]
    expectError(await upload(account, id, Buffer.from('text'), { key }), 400, 'validation_failed')
    expectFresh(await upload(account, id, png(), { key }), 200)
  })
})

describe('the same receipt again', () => {
  test.each([
    ['processing', undefined],
    ['submitted', 'accept-receipt'],
  ])('by asset, while %s, is a success and no second submission', async (status, trigger) => {
    const id = await newIntent()
    const asset_id = await storeAsset(account, png())
    await attach(account, id, { asset_id })
    if (trigger) await account.trigger(id, trigger)
    const again = await attach(account, id, { asset_id })
    expectFresh(again, 200)
    expect(again.body.receipt).toEqual({ status })
    expect(await submissions(id)).toBe(1)
  })

  test.each([
    ['processing', undefined],
    ['submitted', 'accept-receipt'],
  ])(
    'by upload with another key, while %s, is a success and no second submission',
    async (status, trigger) => {
      const id = await newIntent()
      await upload(account, id, png())
      if (trigger) await account.trigger(id, trigger)
      const again = await upload(account, id, png())
      expectFresh(again, 200)
      expect(again.body.receipt).toEqual({ status })
      expect(await submissions(id)).toBe(1)
    },
  )

  test('does not delay the verdict while processing', async () => {
    const own = await openAccount(server())
    const { id } = await own.pay('probe_receipt')
    await upload(own, id, png())
    await own.advance('3s')
    await upload(own, id, png())
    await own.advance('2s')
    expect(await receiptOf(own, id)).toEqual({ status: 'submitted' })
  })

  test.each([
    ['asset', (id: string, asset_id: string) => attach(account, id, { asset_id })],
    ['upload', (id: string) => upload(account, id, png())],
  ] as const)('by %s after a rejection is a new attempt', async (_, submit) => {
    const id = await newIntent()
    const asset = await storeAsset(account, png(4))
    await submit(id, asset)
    await account.trigger(id, 'reject-receipt')
    const again = await submit(id, asset)
    expectFresh(again, 200)
    expect(again.body.receipt).toEqual({ status: 'processing' })
    expect(await submissions(id)).toBe(2)
  })
})

describe('a different receipt', () => {
  const different: [string, (id: string) => ReturnType<typeof upload>][] = [
    ['asset', async id => attach(account, id, { asset_id: await storeAsset(account, png(200)) })],
    ['upload', id => upload(account, id, png(201))],
  ]

  test.each(different)('by %s is refused while one is processing or submitted', async (_, submit) => {
    const id = await newIntent()
    await upload(account, id, png(1))
    expectError(await submit(id), 422, 'invalid_state')
    expect(await receiptOf(account, id)).toEqual({ status: 'processing' })
    await account.trigger(id, 'accept-receipt')
    expectError(await submit(id), 422, 'invalid_state')
    expect(await receiptOf(account, id)).toEqual({ status: 'submitted' })
    expect(await submissions(id)).toBe(1)
  })

  test.each(different)('by %s replaces one that was rejected', async (_, submit) => {
    const id = await newIntent()
    await upload(account, id, png(1))
    await account.trigger(id, 'reject-receipt')
    const answer = await submit(id)
    expectFresh(answer, 200)
    expect(answer.body.receipt).toEqual({ status: 'processing' })
    expect(await submissions(id)).toBe(2)
  })

  test('that is refused leaves its asset free for another intent', async () => {
    const id = await newIntent()
    await upload(account, id, png(1))
    const asset_id = await storeAsset(account, png(2))
    expectError(await attach(account, id, { asset_id }), 422, 'invalid_state')
    expectFresh(await attach(account, await newIntent(), { asset_id }), 200)
  })
})
