import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import {
  addPayout,
  addPayouts,
  idsOf,
  listedIds,
  listPayouts,
  movePayout,
  type Query,
  walkPages,
} from '../../support/payments/payouts.ts'

const server = sharedServer()

const PLACES = [
  { country: 'TH', currency: 'THB' },
  { country: 'TH', currency: 'USDT' },
  { country: 'VN', currency: 'VND' },
]
const STATES = ['requires_approval', 'processing', 'succeeded', 'failed', 'cancelled']
const MOVES: Record<string, string[]> = {
  processing: ['approve'],
  succeeded: ['approve', 'succeed'],
  failed: ['approve', 'fail'],
}

/** One payout of every place in every state, all in the list's order. */
let account: Account
let everyone: Json[]

beforeAll(async () => {
  account = await openAccount(server())
  for (const place of PLACES) {
    for (const state of STATES) {
      const payout = await addPayout(account, { ...place, merchant_reference: `${place.currency} ${state}` })
      await account.advance('1s')
      if (state === 'cancelled') await succeeded(account.call('POST', `/payout_intents/${payout.id}/cancel`))
      for (const move of MOVES[state] ?? []) await succeeded(movePayout(account, payout.id, move))
    }
  }
  everyone = (await succeeded(listPayouts(account))).data
})

test('the list covers every country, currency and state', () => {
  expect(everyone.map(payout => payout.merchant_reference).sort()).toEqual(
    PLACES.flatMap(({ currency }) => STATES.map(state => `${currency} ${state}`)).sort(),
  )
})

const filters: [name: string, query: Query, keeps: (payout: Json) => boolean][] = [
  ['country', { country: 'TH' }, payout => payout.country === 'TH'],
  ['country that has none', { country: 'ID' }, () => false],
  ['currency of three letters', { currency: 'VND' }, payout => payout.currency === 'VND'],
  ['currency of four letters', { currency: 'USDT' }, payout => payout.currency === 'USDT'],
  ['currency of six letters', { currency: 'ABCDEF' }, () => false],
  ...STATES.map((state): [string, Query, (payout: Json) => boolean] => [
    `status ${state}`,
    { status: state },
    payout => payout.status === state,
  ]),
  ['statuses by comma', { status: 'failed,cancelled' }, payout => /failed|cancelled/.test(payout.status)],
  [
    'statuses repeated',
    { status: ['failed', 'cancelled'] },
    payout => /failed|cancelled/.test(payout.status),
  ],
  [
    'statuses by comma and repeated',
    { status: ['failed,cancelled', 'processing'] },
    payout => /failed|cancelled|processing/.test(payout.status),
  ],
  ['one status twice', { status: 'failed,failed' }, payout => payout.status === 'failed'],
  ['every status', { status: STATES.join(',') }, () => true],
  [
    'merchant_reference',
    { merchant_reference: 'THB failed' },
    payout => payout.merchant_reference === 'THB failed',
  ],
  [
    'country and status',
    { country: 'TH', status: 'succeeded' },
    payout => payout.country === 'TH' && payout.status === 'succeeded',
  ],
  [
    'country, currency and statuses',
    { country: 'TH', currency: 'THB', status: 'succeeded,failed' },
    payout => payout.currency === 'THB' && /succeeded|failed/.test(payout.status),
  ],
  ['filters that exclude each other', { country: 'VN', currency: 'THB' }, () => false],
]

describe('each filter returns exactly the matching payouts, in order', () => {
  test.each(filters)('%s', async (_, query, keeps) => {
    expect(await listedIds(account, query)).toEqual(idsOf(everyone.filter(keeps)))
  })

  test.each(filters)('%s, in pages of two with the filters sent again', async (_, query, keeps) => {
    const pages = await walkPages(account, { ...query, limit: 2 })
    const expected = idsOf(everyone.filter(keeps))
    expect(idsOf(pages.flat())).toEqual(expected)
    expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / 2)))
  })
})

describe('a cursor and filters are independent', () => {
  test('filters left out on the next page no longer apply', async () => {
    const first = await succeeded(listPayouts(account, { country: 'TH', limit: 2 }))
    const last = first.data.at(-1).id
    const after = idsOf(everyone).slice(idsOf(everyone).indexOf(last) + 1)
    expect(await listedIds(account, { cursor: first.next_cursor })).toEqual(after)
  })

  test('other filters on the next page apply from the same position', async () => {
    const first = await succeeded(listPayouts(account, { limit: 3 }))
    const after = everyone.slice(3).filter(payout => payout.status === 'failed')
    expect(await listedIds(account, { cursor: first.next_cursor, status: 'failed' })).toEqual(idsOf(after))
  })
})

test('unknown parameters are ignored', async () => {
  const query = { offset: 5, page: 2, 'status[]': 'failed', Limit: 1, starting_after: 'po_1', sort: 'asc' }
  expect(await listedIds(account, query)).toEqual(idsOf(everyone))
})

describe('merchant_reference', () => {
  test.each([
    ['one character', 'x'],
    ['256 characters', 'r'.repeat(256)],
    ['256 code points of two units each', '😀'.repeat(256)],
    ['what must be escaped', 'a&b=c%20+d/é,"\\ #?'],
  ])('of %s is found', async (_, reference) => {
    const found = await addPayout(account, { merchant_reference: reference, country: 'PH', currency: 'PHP' })
    expect(await listedIds(account, { merchant_reference: reference })).toEqual([found.id])
  })

  test('matches exactly: no prefix, no other case, no pattern, no trimming', async () => {
    await addPayout(account, { merchant_reference: 'Exact-1', country: 'PH', currency: 'PHP' })
    for (const near of ['Exact', 'Exact-', 'exact-1', 'Exact-11', 'Exact-*', 'Exact-1 ', ' Exact-1', '%']) {
      expect(await listedIds(account, { merchant_reference: near }), near).toEqual([])
    }
  })

  test('is not unique: every payout of one reference is found', async () => {
    const own = await openAccount(server())
    const twins = await addPayouts(own, 3, () => ({ merchant_reference: 'twin' }))
    await addPayout(own, { merchant_reference: 'single' })
    expect((await listedIds(own, { merchant_reference: 'twin' })).sort()).toEqual(idsOf(twins).sort())
  })
})
