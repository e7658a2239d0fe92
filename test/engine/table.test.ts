import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparePositions, type Matches, newestFirst, type Position } from '../../src/domain/list-index.ts'
import { type Item, Table, type Versions } from '../../src/domain/table.ts'
import { type Past, StoredTable, type VersionPosition } from '../../src/engine/checkpoint/stored-table.ts'

interface Row {
  readonly value: number
}

/** What was stored so far, without the versions that no longer count. */
class StoredRows implements Past<Row> {
  constructor(private readonly items: readonly Item<Row>[]) {}
  private readonly gone = new Set<Item<Row>>()

  private get live(): Item<Row>[] {
    return this.items.filter(item => !this.gone.has(item)).sort(comparePositions)
  }

  /** The rows after changes were stored as well. A row has one version at most that counts. */
  with(written: Versions<Row>): StoredRows {
    const fresh = [...written.all()].map(({ id, at, ordinal, record }) => ({ id, at, ordinal, record }))
    return new StoredRows([...this.live, ...fresh])
  }

  get size() {
    return this.live.length
  }
  get lastOrdinal() {
    return Math.max(0, ...this.items.map(({ ordinal }) => ordinal))
  }
  find(id: string) {
    return this.live.find(item => item.id === id)
  }
  replace(found: Item<Row>) {
    expect(this.live, 'only a stored version that counts is replaced').toContain(found)
    this.gone.add(found)
  }
  replaceAt({ at, ordinal }: VersionPosition) {
    const found = this.live.find(item => item.at === at && item.ordinal === ordinal)
    if (found) this.gone.add(found)
  }
  below() {
    return newestFirst([this.live.reverse().values()])
  }
  above(from: Position) {
    return this.live.filter(item => comparePositions(item, from) >= 0).values()
  }
  count(matches: Matches) {
    return matches([]) ? this.size : 0
  }
  get first() {
    return this.live[0]
  }
  named() {
    return [].values()
  }
}

const IDS = ['a', 'b', 'c', 'd']

test('a table has the same records as a map, wherever their versions are', () => {
  const id = fc.constantFrom(...IDS)
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('set' as const), id, value: fc.nat(99) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), id }) },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('get' as const), id }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('take' as const, 'release' as const) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), steps => {
      let past = new StoredRows([])
      let writing: Versions<Row> | undefined
      const shape = { facets: () => [], changesSoon: ({ value }: Row) => value % 2 === 0 }
      const stored = new StoredTable<Row>(shape, past)
      const table = new Table<Row>(shape, stored)
      const model = new Map<string, Row>()
      for (const each of steps) {
        if (each.type === 'get') expect(table.get(each.id)).toEqual(model.get(each.id))
        else if (each.type === 'delete') {
          table.delete(each.id)
          model.delete(each.id)
        } else if (each.type === 'set') {
          const row = { value: each.value }
          if (model.has(each.id)) table.set(each.id, row)
          else table.add(each.id, row)
          model.set(each.id, row)
        } else if (each.type === 'take') writing ??= stored.take(table)
        else if (writing) {
          past = past.with(writing)
          writing = undefined
          stored.release(past)
          table.lookAgain()
        }
      }
      expect(table.size).toBe(model.size)
      expect(new Map(table)).toEqual(model)
      expect(table.count(() => true)).toBe(model.size)
      const items = [...table.items()]
      for (const [nth, from] of items.entries()) expect([...table.items(from)]).toEqual(items.slice(nth))
      for (const each of IDS) expect(table.get(each)).toEqual(model.get(each))
    }),
    { numRuns: 500 },
  )
})
