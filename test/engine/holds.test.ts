import { expect, test } from 'vitest'
import { Holds } from '../../src/engine/holds.ts'

const HOUR = 3_600_000
const what = (id: string) =>
  ({ id, kind: 'call', fault: null, request: null, delivery: null, status: null, body: null }) as const

test('a hundred things are held at a time, of all accounts together, and what comes then is not', async () => {
  const holds = new Holds(() => 0)
  const held = Array.from({ length: 100 }, (_, nth) =>
    holds.hold(nth % 2 ? 'a' : 'b', what(`hold_${nth}`), HOUR),
  )
  expect(holds.hold('c', what('hold_more'), HOUR)).toBeUndefined()
  holds.letGo('a')
  expect(await held[1]).toEqual({})
  expect([holds.of('a').length, holds.of('b').length]).toEqual([0, 50])
  const another = holds.hold('c', what('hold_more'), HOUR)
  holds.end()
  expect(await another).toEqual({})
  expect(holds.hold('c', what('hold_late'), HOUR)).toBeUndefined()
})

test('a very long body is not shown', () => {
  const holds = new Holds(() => 0)
  for (const [id, length] of [
    ['hold_short', 64 * 1024],
    ['hold_long', 64 * 1024 + 1],
  ] as const)
    void holds.hold('a', { ...what(id), body: 'x'.repeat(length) }, HOUR)
  expect(holds.of('a').map(({ body }) => body?.length)).toEqual([64 * 1024, undefined])
  holds.end()
})
