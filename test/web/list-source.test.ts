import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ListSource } from '../../src/web/dashboard/state/list-source.ts'

interface Asked {
  readonly query: URLSearchParams
  readonly answer: (part: Record<string, unknown>) => void
}

/** What was asked and not answered yet, by page and anchor. */
let asked: Asked[]
const { fetch } = globalThis
beforeEach(() => {
  asked = []
  globalThis.fetch = (address: unknown) =>
    new Promise<Response>(resolve => {
      const { searchParams: query } = new URL(String(address), 'http://localhost')
      asked.push({ query, answer: part => resolve(Response.json(part)) })
    })
})
afterEach(() => {
  globalThis.fetch = fetch
})

const next = () => asked.shift() ?? expect.unreachable('nothing was asked')

const PAYOUTS = 'GET /accounts/:account/browse/payouts'
const OLD = { data: ['old'], total: 250, exact: true, newer: 1, anchor: 'old' }
const NEW = { data: ['new', 'old'], total: 251, exact: true, newer: 0, anchor: 'new' }

/** A list whose first row is loaded, and which has begun again: the request for its new start is under way. */
async function begunAgain() {
  const source = new ListSource(PAYOUTS, 'acc.test', '')
  const loading = source.restart()
  next().answer({ ...OLD, newer: 0 })
  await loading
  const restarting = source.restart()
  const { query, answer } = next()
  expect(query.get('anchor')).toBeNull()
  const restarted = () => {
    answer(NEW)
    return restarting
  }
  return { source, restarted }
}

describe('a list that begins again', () => {
  test.for([
    ['pages that were missing', (source: ListSource<typeof PAYOUTS>) => source.ensure(100, 199)],
    ['the rows that were shown', (source: ListSource<typeof PAYOUTS>) => source.refresh(0, 99)],
  ] as const)('is not put back by %s, asked for before and answered after', async ([, ask]) => {
    const { source, restarted } = await begunAgain()
    const asking = ask(source)
    const late = next()
    expect(late.query.get('anchor')).toBe('old')
    await restarted()
    late.answer(OLD)
    await asking
    expect(source.state.value).toMatchObject({ total: 251, newer: 0 })
    expect(source.row(0)).toBe('new')
  })

  test('asks again for the pages that were asked for by its old start', async () => {
    const { source, restarted } = await begunAgain()
    const before = source.ensure(100, 199)
    const late = next()
    await restarted()
    const after = source.ensure(100, 199)
    const again = next()
    expect(again.query.get('anchor')).toBe('new')
    late.answer(OLD)
    await before
    source.ensure(100, 199)
    expect(asked).toEqual([])
    again.answer({ ...NEW, data: ['last'] })
    await after
    expect(source.row(100)).toBe('last')
  })
})

test('a search shows what was found so far, and asks again until all was looked through', async () => {
  const source = new ListSource(PAYOUTS, 'acc.test', 'q=old')
  const loading = source.restart()
  const first = next()
  expect(first.query.get('partial')).toBe('true')
  first.answer({ ...OLD, total: 1, exact: false, newer: 0 })
  await vi.waitUntil(() => asked.length > 0)
  expect(source.state.value).toMatchObject({ total: 1, exact: false })
  expect(source.row(0)).toBe('old')
  next().answer(NEW)
  await loading
  expect(source.state.value).toMatchObject({ total: 251, exact: true })
  expect(asked).toEqual([])
})
