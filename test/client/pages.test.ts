import { describe, expect, test } from 'vitest'
import { CursorRepeatedError, NotJsonError, UnexpectedAnswerError } from '../../src/client/index.ts'
import { clientFor, refusal } from '../support/client/client.ts'
import { json, serve } from '../support/client/server.ts'

/** A list in which each page names the next. */
async function listing(next: Record<string, unknown>) {
  const server = await serve((response, { url }) => {
    const cursor = new URL(url, 'http://x').searchParams.get('cursor') ?? 'first'
    const page = next[cursor]
    const payout = { id: `po_${cursor}`, object: 'payout_intent', status: 'processing' }
    json(response, { data: [payout], has_more: false, ...(page as object) })
  })
  return { server, client: clientFor(server.url) }
}

const to = (cursor: string) => ({ has_more: true, next_cursor: cursor })

async function walk(pages: AsyncIterable<{ payouts: readonly { id: string }[] }>): Promise<string[]> {
  const ids: string[] = []
  for await (const { payouts } of pages) ids.push(...payouts.map(({ id }) => id))
  return ids
}

describe('pages', () => {
  test.each([
    ['null', { has_more: false, next_cursor: null }],
    ['absent', { has_more: false }],
    ['empty', { has_more: false, next_cursor: '' }],
    ['there, but has_more says no', { has_more: false, next_cursor: 'more' }],
  ])('end when the next cursor is %s', async (_, last) => {
    const { client, server } = await listing({ first: to('b'), b: to('c'), c: last, more: {} })
    expect(await walk(client.payouts.pages())).toEqual(['po_first', 'po_b', 'po_c'])
    expect(server.seen).toHaveLength(3)
  })

  test.each([
    ['has_more is true and there is no cursor', { has_more: true, next_cursor: null }],
    ['has_more is missing', { has_more: undefined, next_cursor: 'c' }],
    ['it is something else', { data: undefined, hello: 'world' }],
  ])('end in an error when a page does not say how to continue: %s', async (_, wrong) => {
    const { client } = await listing({ first: to('b'), b: wrong })
    const ids: string[] = []
    const walked = async () => {
      for await (const { payouts } of client.payouts.pages()) ids.push(...payouts.map(({ id }) => id))
    }
    await refusal(walked(), UnexpectedAnswerError)
    expect(ids).toEqual(['po_first'])
  })

  test('are requested with the filters each time, and with the cursor unchanged', async () => {
    const { client, server } = await listing({ first: to('a+b/c='), 'a+b/c=': {} })
    await walk(client.payouts.pages({ status: ['failed', 'succeeded'], country: 'TH', limit: 2 }))
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/payout_intents?status=failed%2Csucceeded&country=TH&limit=2',
      '/payout_intents?status=failed%2Csucceeded&country=TH&limit=2&cursor=a%2Bb%2Fc%3D',
    ])
  })

  test('continue from a cursor, and report the next one', async () => {
    const { client } = await listing({ b: to('c'), c: {} })
    const cursors: (string | null)[] = []
    for await (const { nextCursor } of client.payouts.pages({}, { cursor: 'b' })) cursors.push(nextCursor)
    expect(cursors).toEqual(['c', null])
  })

  test('are fetched one by one, as needed', async () => {
    const { client, server } = await listing({ first: to('b'), b: to('c'), c: {} })
    for await (const page of client.payouts.pages()) {
      expect(page.answer.text).toContain('po_first')
      break
    }
    expect(server.seen).toHaveLength(1)
  })

  test.each([
    ['itself', { first: to('b'), b: to('b') }, ['po_first', 'po_b']],
    ['an earlier one', { first: to('b'), b: to('c'), c: to('b') }, ['po_first', 'po_b', 'po_c']],
  ])('never repeat: a cursor that leads to %s', async (_, next, before) => {
    const { client, server } = await listing(next)
    const ids: string[] = []
    const walked = async () => {
      for await (const { payouts } of client.payouts.pages()) ids.push(...payouts.map(({ id }) => id))
    }
    const error = await refusal(walked(), CursorRepeatedError)
    expect(error.cursor).toBe('b')
    expect(ids).toEqual(before)
    expect(server.seen).toHaveLength(before.length)
  })

  test('know the cursor they started from', async () => {
    const { client } = await listing({ b: to('b') })
    await refusal(walk(client.payouts.pages({}, { cursor: 'b' })), CursorRepeatedError)
  })

  test('fail with the error of the page that failed', async () => {
    const server = await serve(response => response.writeHead(200).end('<html>'))
    await refusal(walk(clientFor(server.url).payouts.pages()), NotJsonError)
  })
})
