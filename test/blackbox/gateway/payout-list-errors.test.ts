import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { contentOf, expectRefusal, invalid, notFound, unauthorized } from '../../support/http/refusals.ts'
import { addPayouts, listPayouts, type Query } from '../../support/payments/payouts.ts'

const server = sharedServer()

let account: Account
let cursor: string
let cursorOfAnotherMerchant: string
let cursorOfAnotherEnvironment: string

beforeAll(async () => {
  const firstCursor = async (of: Account) => {
    await addPayouts(of, 3)
    return (await succeeded(listPayouts(of, { limit: 1 }))).next_cursor
  }
  const merchant = await openMerchant(server())
  account = merchant.test
  cursor = await firstCursor(account)
  cursorOfAnotherEnvironment = await firstCursor(merchant.live)
  cursorOfAnotherMerchant = await firstCursor((await openMerchant(server())).test)
})

const mistakes: [field: string, what: string, query: Query][] = [
  ...[
    '0',
    '101',
    '-1',
    '1000000',
    'abc',
    '1.5',
    '1.0',
    '',
    '05',
    '+5',
    ' 5',
    '1e1',
    '0x10',
    '٣',
    '9'.repeat(40),
  ].map((value): [string, string, Query] => ['limit', JSON.stringify(value), { limit: value }]),
  ['limit', 'twice', { limit: [5, 5] }],
  ...['', 'th', 'T', 'THA', 'T1', ' TH', 'TH,VN'].map((value): [string, string, Query] => [
    'country',
    JSON.stringify(value),
    { country: value },
  ]),
  ['country', 'twice', { country: ['TH', 'VN'] }],
  ...['', 'thb', 'TH', 'ABCDEFG', 'TH1', 'THB,VND'].map((value): [string, string, Query] => [
    'currency',
    JSON.stringify(value),
    { currency: value },
  ]),
  ['currency', 'twice', { currency: ['THB', 'THB'] }],
  ...['', 'paid', 'Succeeded', 'pending', 'succeeded,paid', 'succeeded,', ',succeeded', ','].map(
    (value): [string, string, Query] => ['status', JSON.stringify(value), { status: value }],
  ),
  ['status', 'repeated with an unknown one', { status: ['succeeded', 'paid'] }],
  ['merchant_reference', 'of no characters', { merchant_reference: '' }],
  ['merchant_reference', 'of 257 characters', { merchant_reference: 'r'.repeat(257) }],
  ['merchant_reference', 'of 257 code points', { merchant_reference: '😀'.repeat(257) }],
  ['merchant_reference', 'twice', { merchant_reference: ['a', 'a'] }],
  ['cursor', 'of no characters', { cursor: '' }],
  ['cursor', 'that is garbage', { cursor: 'garbage' }],
  ['cursor', 'that is a payout id', { cursor: 'po_000000000000000000000000' }],
  ['cursor', 'that is base64 of JSON', { cursor: Buffer.from('{"after":0}').toString('base64url') }],
  ['cursor', 'of ten thousand characters', { cursor: 'A'.repeat(10_000) }],
]

describe('a bad list parameter is refused and named', () => {
  test.each(mistakes)('%s %s', async (field, _, query) => {
    expectRefusal(await listPayouts(account, query), invalid(field))
  })

  test('a bad parameter beside valid ones is refused too', async () => {
    expectRefusal(
      await listPayouts(account, { status: 'succeeded', limit: 101, country: 'TH' }),
      invalid('limit'),
    )
  })
})

describe('a cursor works only unchanged, and only for its own account', () => {
  test('the unchanged cursor is accepted', async () => {
    expect((await listPayouts(account, { cursor })).status).toBe(200)
  })

  test('every one-character edit is refused', async () => {
    const edits = Array.from(cursor, (was, index) =>
      [cursor.slice(0, index), was === 'A' ? 'B' : 'A', cursor.slice(index + 1)].join(''),
    )
    const answers = await Promise.all(edits.map(edited => listPayouts(account, { cursor: edited })))
    for (const answer of answers) expectRefusal(answer, invalid('cursor'))
  })

  test.each<[string, () => string]>([
    ['cut short', () => cursor.slice(0, -1)],
    ['with a character more', () => `${cursor}A`],
    ['with padding', () => `${cursor}=`],
    ['in other case', () => cursor.toLowerCase() + (cursor === cursor.toLowerCase() ? 'x' : '')],
    ['of another merchant', () => cursorOfAnotherMerchant],
    ['of another environment', () => cursorOfAnotherEnvironment],
  ])('a cursor %s is refused', async (_, given) => {
    expectRefusal(await listPayouts(account, { cursor: given() }), invalid('cursor'))
  })

  test('a cursor given twice is refused', async () => {
    expectRefusal(await listPayouts(account, { cursor: [cursor, cursor] }), invalid('cursor'))
  })

  test('a foreign cursor gets the same error as garbage', async () => {
    const garbage = await listPayouts(account, { cursor: 'garbage' })
    for (const foreign of [cursorOfAnotherMerchant, cursorOfAnotherEnvironment]) {
      const answer = await listPayouts(account, { cursor: foreign })
      expect(contentOf(answer, foreign)).toEqual(contentOf(garbage, 'garbage'))
    }
  })
})

describe('operations that the merchant API does not have', () => {
  test('POST /payout_intents answers 405 with the allowed methods', async () => {
    const answer = await account.call('POST', '/payout_intents', { body: { amount: '1' } })
    expectRefusal(answer, { status: 405, code: 'method_not_allowed' })
    expect(answer.headers.get('allow')).toContain('GET')
  })

  test.each(['PUT', 'PATCH', 'DELETE'])('%s /payout_intents is 405', async method => {
    expectRefusal(await account.call(method, '/payout_intents'), { status: 405, code: 'method_not_allowed' })
  })

  test('GET of a payout’s cancel path is 405 and allows POST', async () => {
    const answer = await account.call('GET', '/payout_intents/po_000000000000000000000000/cancel')
    expectRefusal(answer, { status: 405, code: 'method_not_allowed' })
    expect(answer.headers.get('allow')).toContain('POST')
  })

  test.each(['GET', 'DELETE', 'PATCH'])(
    '%s /payout_intents/{id} is 404 even for an existing payout',
    async method => {
      const { data } = await succeeded(listPayouts(account))
      expectRefusal(await account.call(method, `/payout_intents/${data[0].id}`), notFound)
    },
  )

  test.each(['approve', 'succeed', 'fail'])('POST /payout_intents/{id}/%s is 404', async move => {
    const { data } = await succeeded(listPayouts(account))
    expectRefusal(await account.call('POST', `/payout_intents/${data[0].id}/${move}`, { body: {} }), notFound)
  })
})

test('without credentials, even a bad query is 401', async () => {
  const answer = await account.call('GET', '/payout_intents?limit=0', { anonymous: true })
  expectRefusal(answer, unauthorized)
  expect(answer.headers.get('www-authenticate')).toBe('Basic realm="paysim"')
})
