import { afterEach, expect, test } from 'vitest'
import {
  changeRules,
  ordering,
  replacing,
  replacingAll,
  switching,
} from '../../src/web/dashboard/state/change-list.ts'

interface Rule {
  readonly name: string
  readonly off?: boolean
}

const [a, b, c]: readonly Rule[] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
if (!a || !b || !c) throw new Error('three rules are needed')
const aOff = { ...a, off: true }

test('what somebody else did meanwhile stays', () => {
  expect(replacing(a, 0, [c])([b, a])).toEqual([b, c])
  expect(replacing(a, 0, [])([b, a])).toEqual([b])
  expect(replacing(a, 0, [b])([aOff])).toEqual([{ ...b, off: true }])
  expect(switching(a, 0, false)([b, a])).toEqual([b, aOff])
  expect(switching(a, 0, true)([aOff, b])).toEqual([a, b])
  expect(ordering([b, a])([aOff, b])).toEqual([b, aOff])
})

test('of equal ones, the one at the place is meant', () => {
  expect(replacing(a, 2, [c])([a, b, a])).toEqual([a, b, c])
  expect(replacing(a, 1, [c])([a, b, a])).toEqual([c, b, a])
  expect(ordering([a, b, a])([b, aOff, a])).toEqual([aOff, b, a])
})

test('nothing is changed if what is meant is another one by now', () => {
  expect(() => replacing(a, 0, [c])([b])).toThrow(/Nothing was changed/)
  expect(() => switching(a, 0, false)([])).toThrow(/Nothing was changed/)
  for (const now of [[a], [a, b, c], [a, c]])
    expect(() => ordering([b, a])(now)).toThrow(/The order was not changed/)
  expect(() => replacingAll([a, b], [c])([b, a])).toThrow(/Nothing was replaced/)
  expect(replacingAll([a, b], [c])([a, b])).toEqual([c])
})

const { fetch } = globalThis
afterEach(() => {
  globalThis.fetch = fetch
})

test('a change is made again of the new list if somebody was faster, and not without end', async () => {
  const puts: unknown[] = []
  let refused = 1
  globalThis.fetch = (async (_: string, { method, body }: { method: string; body?: string }) => {
    if (method === 'GET') return Response.json({ rules: puts.length === 0 ? [a] : [a, b] })
    puts.push(JSON.parse(body ?? ''))
    return puts.length > refused
      ? Response.json({})
      : Response.json({ message: 'somebody changed them' }, { status: 422 })
  }) as typeof globalThis.fetch
  await changeRules('shop.test', now => [...now, c])
  expect(puts).toEqual([
    { rules: [a, c], instead_of: [a] },
    { rules: [a, b, c], instead_of: [a, b] },
  ])
  refused = Number.POSITIVE_INFINITY
  await expect(changeRules('shop.test', () => [a])).rejects.toThrow('somebody changed them')
})
