import { expect, test } from 'vitest'
import { comparePositions, FROM_THE_BOTTOM } from '../../src/domain/list-index.ts'
import { rowsFromOldest } from '../../src/server/lists.ts'

const MANY = 60

/** Records that a checkpoint moves at each turn of the event loop: what looks at them goes no further after that. */
function movingRecords() {
  let turn = 0
  const moving = setInterval(() => turn++)
  const all = Array.from({ length: MANY }, (_, ordinal) => ({
    ...{ id: `${ordinal}`, at: Math.floor(ordinal / 3), ordinal, record: ordinal },
  }))
  const records = {
    *items(from = FROM_THE_BOTTOM) {
      const then = turn
      for (const item of all) {
        if (turn !== then) throw new Error('the records were moved')
        if (comparePositions(item, from) >= 0) yield item
      }
    },
  }
  return { records, turns: () => turn, stop: () => clearInterval(moving) }
}

/** Takes a millisecond, so that the list takes many slices. */
function slowly(record: number): number {
  for (const end = performance.now() + 1; performance.now() < end; );
  return record
}

test('a long list is whole and in order, although other work goes on and moves its records', async () => {
  const { records, turns, stop } = movingRecords()
  const rows = await rowsFromOldest(records, slowly).finally(stop)
  expect(rows).toEqual(Array.from({ length: MANY }, (_, nth) => nth))
  expect(turns()).toBeGreaterThan(1)
})

test('a span of time of it has the records from its start to before its end', async () => {
  const { records, stop } = movingRecords()
  const span = { createdFrom: 2, createdBefore: 10 }
  const rows = await rowsFromOldest(records, slowly, span).finally(stop)
  expect(rows).toEqual(Array.from({ length: 24 }, (_, nth) => 6 + nth))
  expect(await rowsFromOldest(records, slowly, { limit: 5 })).toEqual([0, 1, 2, 3, 4])
})
