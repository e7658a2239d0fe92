import { beforeAll, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { attach, receiptOf, storeAsset, upload } from '../../support/payments/receipts.ts'
import { hosted } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const together = (count: number, send: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)))

const replayed = (answer: Answer) => answer.headers.get('idempotent-replayed') === 'true'

test('concurrent creations with one key create once, and all get that answer', async () => {
  const headers = { 'idempotency-key': 'race' }
  const answers = await together(40, () =>
    account.call('POST', '/payment_intents', { body: hosted(), headers }),
  )
  expect(new Set(answers.map(answer => `${answer.status} ${answer.text}`)).size).toBe(1)
  expect(answers[0]?.status).toBe(201)
  expect(answers.filter(answer => !replayed(answer))).toHaveLength(1)
})

test('concurrent creations with one key and different bodies: one wins, the others conflict', async () => {
  const headers = { 'idempotency-key': 'contest' }
  const answers = await together(40, index =>
    account.call('POST', '/payment_intents', { body: hosted({ amount: `${1000 + index}` }), headers }),
  )
  expect(answers.filter(answer => answer.status === 201)).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expectError(answer, 409, 'idempotency_conflict')
  }
})

test('concurrent uploads with one key submit once', async () => {
  const { id } = await account.pay('probe_receipt')
  const answers = await together(40, index =>
    upload(account, id, png(), { key: 'race', boundary: `boundary-${index}` }),
  )
  expect(new Set(answers.map(answer => `${answer.status} ${answer.text}`)).size).toBe(1)
  expect(answers.filter(answer => !replayed(answer))).toHaveLength(1)
  expect(await account.providerCalls(id, 'submit_receipt')).toBe(1)
})

test('concurrent uploads of different receipts: one is submitted, the others are refused', async () => {
  const { id } = await account.pay('probe_receipt')
  const answers = await together(40, index => upload(account, id, png(index)))
  expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expectError(answer, 422, 'invalid_state')
  }
  expect(await account.providerCalls(id, 'submit_receipt')).toBe(1)
})

test('concurrent intents attaching one asset: only one gets it', async () => {
  const asset_id = await storeAsset(account, png(7))
  const intents = await Promise.all(Array.from({ length: 10 }, async () => account.pay('probe_receipt')))
  const answers = await Promise.all(intents.map(({ id }) => attach(account, id, { asset_id })))
  expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array(9).fill(422)])
  const receipts = await Promise.all(intents.map(({ id }) => receiptOf(account, id)))
  expect(receipts.filter(receipt => receipt.status === 'processing')).toHaveLength(1)
})

test('concurrent cancellations are all accepted, and the provider is asked once', async () => {
  const { id } = await account.pay('probe_transfer')
  const answers = await together(40, () => account.cancel(id))
  for (const answer of answers) expect(answer.status, answer.text).toBe(202)
  expect(await account.providerCalls(id, 'cancel')).toBe(1)
})

test('of concurrent results only one is final', async () => {
  const { id } = await account.pay('probe_transfer')
  const answers = await together(30, index =>
    account.trigger(id, ['succeed', 'fail', 'expire'][index % 3] ?? 'fail'),
  )
  const winners = answers.filter(answer => answer.status === 200)
  expect(winners).toHaveLength(1)
  expect((await account.read(id)).status).toBe(winners[0]?.body.status)
})
