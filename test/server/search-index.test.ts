import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Entry } from '../../src/domain/events.ts'
import { comparePositions, type Position } from '../../src/domain/list-index.ts'
import { Table } from '../../src/domain/table.ts'
import type { Account } from '../../src/engine/account/account.ts'
import { SearchIndex } from '../../src/server/search-index.ts'

interface Row {
  readonly sortKey: { readonly id: string; readonly createdAt: number; readonly ordinal: number }
  readonly name: string
  readonly colour: string
}

/** Few letters, so that much is found; with some that take several bytes, or change their length in lower case. */
const names = fc.string({ unit: fc.constantFrom('a', 'B', 'ก', 'é', 'İ', ' '), maxLength: 5 })
const colours = fc.constantFrom('red', 'blue')
const steps = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('add' as const), name: names, colour: colours, at: fc.nat(20) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      which: fc.nat(99),
      name: fc.option(names),
      colour: colours,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('search' as const),
      text: fc.option(names),
      colour: fc.option(colours),
      from: fc.nat(20),
      to: fc.nat(25),
      offset: fc.nat(5),
      limit: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('reset' as const) }) },
)

/** The part of an account that an index follows. */
function anAccount() {
  const rows = new Table<Row>({
    at: ({ sortKey }) => sortKey.createdAt,
    ordinal: ({ sortKey }) => sortKey.ordinal,
    facets: ({ colour }) => [colour],
  })
  const told: ((entry: Pick<Entry, 'events'>) => void)[] = []
  const replaced: (() => void)[] = []
  const account = {
    onEntry: (listener: (entry: Pick<Entry, 'events'>) => void) => told.push(listener),
    onReplaced: (listener: () => void) => replaced.push(listener),
    onResume: () => {},
  } as unknown as Account
  const index = new SearchIndex<Row>(
    account,
    { list: () => rows, texts: ({ name }) => [name], group: ({ colour }) => [colour] },
    3,
  )
  return {
    rows,
    index,
    note(id: string) {
      for (const listener of told) listener({ events: [{ type: 'PaymentSucceeded', payment: id }] })
    },
    forget() {
      for (const listener of replaced) listener()
    },
  }
}

test('a search finds what a look at each record finds, whenever the records were added or changed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 60, size: 'max' }), async given => {
      const { rows, index, note, forget } = anAccount()
      let count = 0
      const newestFirst = () => [...rows.values()].sort((a, b) => comparePositions(placeOf(b), placeOf(a)))
      for (const step of given) {
        if (step.does === 'reset') {
          for (const { sortKey } of newestFirst()) rows.delete(sortKey.id)
          forget()
        }
        if (step.does === 'add') {
          const id = `R${++count}`
          const { name, colour, at: createdAt } = step
          rows.add(id, { sortKey: { id, createdAt, ordinal: count }, name, colour })
          note(id)
        }
        const changed = step.does === 'change' ? newestFirst()[step.which % count] : undefined
        if (step.does === 'change' && changed) {
          const { name, colour } = step
          rows.set(changed.sortKey.id, { ...changed, colour, name: name ?? changed.name })
          note(changed.sortKey.id)
        }
        if (step.does !== 'search') continue
        const { text, colour, from, to, offset, limit } = step
        const fitting = newestFirst().filter(
          row =>
            [row.sortKey.id, row.name].some(own => own.toLowerCase().includes((text ?? '').toLowerCase())) &&
            (colour === null || row.colour === colour) &&
            row.sortKey.createdAt >= from &&
            row.sortKey.createdAt < to,
        )
        const search = {
          text: text || undefined,
          group: ([own]: readonly (string | undefined)[]) => colour === null || own === colour,
          from: { at: from, ordinal: 0 },
          to: { at: to, ordinal: 0 },
        }
        const { items, ...counted } = await index.find(search, offset, limit)
        expect(counted).toEqual({ total: fitting.length, exact: true })
        expect(items.map(({ record }) => record)).toEqual(fitting.slice(offset, offset + limit))
      }
    }),
  )
})

const placeOf = ({ sortKey: { createdAt: at, ordinal } }: Row): Position => ({ at, ordinal })

test('a record that changes while the index is made is found as it is now', async () => {
  const { rows, index, note } = anAccount()
  for (let nth = 1; nth <= 20_000; nth++)
    rows.add(`R${nth}`, {
      sortKey: { id: `R${nth}`, createdAt: nth, ordinal: nth },
      name: 'before',
      colour: 'red',
    })
  const searching = index.find({ text: 'after', group: () => true }, 0, 10)
  for (const id of ['R1', 'R20000']) {
    const row = rows.get(id)
    if (row) rows.set(id, { ...row, name: 'after' })
    note(id)
  }
  const { total, items } = await searching
  expect([total, items.map(({ id }) => id)]).toEqual([2, ['R20000', 'R1']])
})

test('while the index is made, a search for which a part is enough finds the newest records', async () => {
  // Each look at the clock ends a slice, so that a slice has one record.
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000))
  onTestFinished(() => clock.mockRestore())
  const { rows, index } = anAccount()
  for (let nth = 1; nth <= 200; nth++)
    rows.add(`R${nth}`, {
      sortKey: { id: `R${nth}`, createdAt: nth, ordinal: nth },
      name: 'same',
      colour: 'red',
    })
  const search = { text: 'same', group: () => true }
  const [part, whole] = await Promise.all([index.find(search, 0, 2, true), index.find(search, 0, 2)])
  const newest = ['R200', 'R199']
  expect(part).toMatchObject({ exact: false, items: newest.map(id => ({ id })) })
  expect(part.total).toBeGreaterThan(2)
  expect(part.total).toBeLessThan(200)
  expect(whole).toMatchObject({ exact: true, total: 200, items: newest.map(id => ({ id })) })
  expect(await index.find(search, 0, 2, true)).toEqual(whole)
})
