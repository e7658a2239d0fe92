import { describe, expect, test } from 'vitest'
import { openAccount, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import {
  addPayout,
  addPayouts,
  idsOf,
  listedIds,
  listPayouts,
  movePayout,
  walkPages,
} from '../../support/payments/payouts.ts'
import { MINUTE, shifted } from '../../support/time/instants.ts'

const server = sharedServer()

test('without payouts the list is one empty last page', async () => {
  const account = await openAccount(server())
  const page = await succeeded(listPayouts(account))
  expect(page).toEqual({ data: [], has_more: false, next_cursor: null })
})

test('the list has no payouts of another merchant or environment', async () => {
  const [mine, other] = [await openMerchant(server()), await openMerchant(server())]
  const payout = await addPayout(mine.test)
  await addPayout(mine.live)
  await addPayout(other.test)
  expect(await listedIds(mine.test)).toEqual([payout.id])
})

describe('order', () => {
  test('payouts are sorted by created_at, newest first, in whatever order they were added', async () => {
    const account = await openAccount(server())
    const now = await account.now()
    const ages = [5, 1, 9, 3, 7]
    const payouts = await addPayouts(account, ages.length, index => ({
      created_at: shifted(now, -(ages[index] ?? 0) * MINUTE),
      merchant_reference: `age ${ages[index]}`,
    }))
    const { data } = await succeeded(listPayouts(account))
    expect(data.map((payout: { merchant_reference: string }) => payout.merchant_reference)).toEqual([
      'age 1',
      'age 3',
      'age 5',
      'age 7',
      'age 9',
    ])
    expect(new Set(idsOf(data))).toEqual(new Set(idsOf(payouts)))
  })

  test('a later change of a payout does not move it', async () => {
    const account = await openAccount(server())
    const first = await addPayout(account)
    await account.advance('1m')
    const second = await addPayout(account)
    await account.advance('1m')
    await succeeded(movePayout(account, first.id, 'approve'))
    expect(await listedIds(account)).toEqual([second.id, first.id])
  })

  test('payouts created at the same instant keep one order on every read and page size', async () => {
    const account = await openAccount(server())
    await addPayouts(account, 7)
    const order = await listedIds(account)
    expect(new Set(order).size).toBe(7)
    expect(await listedIds(account)).toEqual(order)
    for (const limit of [1, 2, 3, 6, 7]) {
      expect(idsOf((await walkPages(account, { limit })).flat())).toEqual(order)
    }
  })
})

describe('page size', () => {
  test.each([
    ['limit 1', { limit: 1 }, 1],
    ['no limit', {}, 25],
    ['limit 99', { limit: 99 }, 99],
    ['limit 100', { limit: 100 }, 100],
  ])('of 101 payouts, %s (%o) returns %i', async (_, query, expected) => {
    const account = await accountWith101()
    const page = await succeeded(listPayouts(account, query))
    expect(page.data).toHaveLength(expected)
    expect(page.has_more).toBe(true)
    expect(page.next_cursor).toMatch(/./)
  })

  let filled: ReturnType<typeof openAccount> | undefined
  function accountWith101() {
    filled ??= openAccount(server()).then(async account => {
      await addPayouts(account, 101)
      return account
    })
    return filled
  }

  test.each([
    [4, false],
    [5, false],
    [6, true],
    [10, true],
  ])('a first page of 5 out of %i payouts sets has_more to %s', async (count, hasMore) => {
    const account = await openAccount(server())
    await addPayouts(account, count)
    const page = await succeeded(listPayouts(account, { limit: 5 }))
    expect(page.data).toHaveLength(Math.min(count, 5))
    expect(page.has_more).toBe(hasMore)
    if (!hasMore) expect(page.next_cursor).toBeNull()
  })

  test.each([
    [10, [5, 5]],
    [11, [5, 5, 1]],
  ])('paging through %i payouts by 5 gives pages of %j and no empty one', async (count, sizes) => {
    const account = await openAccount(server())
    await addPayouts(account, count)
    const pages = await walkPages(account, { limit: 5 })
    expect(pages.map(page => page.length)).toEqual(sizes)
  })
})

describe('paging while the list changes', () => {
  test('returns each earlier payout once, and none created later', async () => {
    const account = await openAccount(server())
    const there = await addPayouts(account, 8)
    const pages = await walkPages(account, { limit: 3 }, async () => {
      await account.advance('1s')
      await addPayouts(account, 4)
    })
    expect(idsOf(pages.flat()).sort()).toEqual(idsOf(there).sort())
  })

  test('returns no payout twice when new ones are created at the instant of the cursor', async () => {
    const account = await openAccount(server())
    const there = await addPayouts(account, 8)
    const pages = await walkPages(account, { limit: 3 }, async () => void (await addPayout(account)))
    const seen = idsOf(pages.flat())
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(idsOf(there)))
  })

  test('continues after the payout at the cursor no longer matches the filter', async () => {
    const account = await openAccount(server())
    const there = await addPayouts(account, 7)
    const pages = await walkPages(account, { limit: 2, status: 'requires_approval' }, async page => {
      for (const payout of page) await succeeded(movePayout(account, payout.id, 'approve'))
    })
    expect(idsOf(pages.flat()).sort()).toEqual(idsOf(there).sort())
    expect(pages).toHaveLength(4)
  })

  test('the same cursor gives the same page again', async () => {
    const account = await openAccount(server())
    await addPayouts(account, 6)
    const { next_cursor: cursor } = await succeeded(listPayouts(account, { limit: 2 }))
    const second = await listPayouts(account, { limit: 2, cursor })
    await account.advance('1s')
    await addPayout(account)
    const again = await listPayouts(account, { limit: 2, cursor })
    expect(again.text).toBe(second.text)
  })

  test('accepts a different page size on the next page', async () => {
    const account = await openAccount(server())
    await addPayouts(account, 9)
    const order = await listedIds(account)
    const first = await succeeded(listPayouts(account, { limit: 2 }))
    const rest = await listedIds(account, { limit: 100, cursor: first.next_cursor })
    expect([...idsOf(first.data), ...rest]).toEqual(order)
  })
})
