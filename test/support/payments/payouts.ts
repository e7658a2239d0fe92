import { expect } from 'vitest'
import { type Account, type Json, succeeded } from '../gateway/merchant.ts'
import type { Answer } from '../gateway/server.ts'

type Fields = Record<string, unknown>

export const ACCOUNT_NUMBER = '550412349876'

export function payoutBody(changes: Fields = {}): Fields {
  return {
    amount: '150000',
    currency: 'THB',
    country: 'TH',
    merchant_reference: 'payout-1',
    recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: ACCOUNT_NUMBER },
    ...changes,
  }
}

/** Creates a payout by the control surface. Fails the test if it is refused. */
export async function addPayout(account: Account, changes: Fields = {}): Promise<Json> {
  const answer = await account.control('POST', '/payouts', { body: payoutBody(changes) })
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

/** Creates many payouts at once. `each` returns the fields in which they differ. */
export const addPayouts = (account: Account, count: number, each: (index: number) => Fields = () => ({})) =>
  Promise.all(Array.from({ length: count }, (_, index) => addPayout(account, each(index))))

export type Query = Record<string, string | number | readonly (string | number)[] | undefined>

/** The path of a list request; an array repeats its name. */
function payoutsPath(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one))
  }
  return search.size === 0 ? '/payout_intents' : `/payout_intents?${search}`
}

export const listPayouts = (account: Account, query?: Query): Promise<Answer> =>
  account.call('GET', payoutsPath(query))

export const idsOf = (payouts: Json[]): string[] => payouts.map(payout => payout.id)

export const listedIds = async (account: Account, query?: Query): Promise<string[]> =>
  idsOf((await succeeded(listPayouts(account, query))).data)

/** Reads every page from the first to the last. Each request repeats the filters. */
export async function walkPages(
  account: Account,
  query: Query,
  betweenPages: (page: Json[]) => Promise<void> = async () => {},
): Promise<Json[][]> {
  const pages: Json[][] = []
  let cursor: string | undefined
  for (;;) {
    const page = await succeeded(listPayouts(account, { ...query, cursor }))
    pages.push(page.data)
    expect(page.has_more, 'has_more and next_cursor agree').toBe(page.next_cursor !== null)
    if (!page.has_more) return pages
    cursor = page.next_cursor
    await betweenPages(page.data)
  }
}

export const cancelPayout = (account: Account, id: string, body?: unknown): Promise<Answer> =>
  account.call('POST', `/payout_intents/${id}/cancel`, body === undefined ? {} : { body })

export const movePayout = (account: Account, id: string, move: string, body: Fields = {}): Promise<Answer> =>
  account.control('POST', `/payouts/${id}/${move}`, { body })

/** The payout as the merchant sees it. There is no GET for a single payout, so this searches the list. */
export async function readPayout(account: Account, id: string): Promise<Json> {
  const found = (await walkPages(account, { limit: 100 })).flat().find(payout => payout.id === id)
  expect(found, `payout ${id} is in the list`).toBeDefined()
  return found
}
