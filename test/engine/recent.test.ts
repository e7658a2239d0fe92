import { expect, test } from 'vitest'
import { CacheBudget, Recent } from '../../src/engine/store/recent.ts'

/** Caches that share a bound in bytes. */

const cacheOf = (budget: CacheBudget, most = 1000) => {
  const cache = new Recent<number, string>({ most, budget, sizeOf: text => text.length })
  let made = 0
  const ask = (key: number, length = 10) =>
    cache.get(key, () => {
      made++
      return 'x'.repeat(length)
    })
  return { cache, ask, made: () => made }
}

test('as many values as fit are made only once, in whatever order they are used', () => {
  const { ask, made } = cacheOf(new CacheBudget(200))
  for (let time = 0; time < 3; time++) for (let key = 0; key < 20; key++) ask(key)
  expect(made()).toBe(20)
})

test('a new value is kept, even if all others were used again', () => {
  const { ask, made } = cacheOf(new CacheBudget(200))
  for (let time = 0; time < 2; time++) for (let key = 0; key < 20; key++) ask(key)
  for (let time = 0; time < 2; time++) ask(20)
  expect(made()).toBe(21)
})

test('a cache alone stays within the bytes, and keeps what is used again and again', () => {
  const budget = new CacheBudget(1000)
  const { ask, made } = cacheOf(budget)
  for (let key = 0; key < 500; key++) {
    ask(key)
    ask(0)
    expect(budget.bytes).toBeLessThanOrEqual(1000)
  }
  expect(budget.bytes).toBeGreaterThan(400)
  expect(made()).toBe(500)
})

test('the cache that has grown longest ago gives up first', () => {
  const budget = new CacheBudget(1000)
  const [first, second, busy] = [cacheOf(budget), cacheOf(budget), cacheOf(budget)]
  for (const { ask } of [first, second, busy]) for (let key = 0; key < 45; key++) ask(key)
  expect([first, second, busy].map(({ cache }) => cache.bytes)).toEqual([100, 450, 450])
  for (let key = 0; key < 45; key++) busy.ask(key)
  expect(busy.made()).toBe(45)
})

test('a cleared cache has nothing, and the others keep what they have', () => {
  const budget = new CacheBudget(1000)
  const [first, second] = [cacheOf(budget), cacheOf(budget)]
  for (const { ask } of [first, second, first]) for (let key = 0; key < 20; key++) ask(key)
  first.cache.clear()
  expect([first.cache.bytes, budget.bytes]).toEqual([0, 200])
  for (const { ask } of [first, second]) ask(0)
  expect([first.made(), second.made()]).toEqual([21, 20])
  for (let key = 0; key < 200; key++) first.ask(key)
  expect(budget.bytes).toBe(first.cache.bytes + second.cache.bytes)
})

test('a value that is too large for all of it is given, and not kept', () => {
  const budget = new CacheBudget(100)
  const { ask, made } = cacheOf(budget)
  expect(ask(1, 500)).toHaveLength(500)
  expect(budget.bytes).toBe(0)
  ask(1, 500)
  expect(made()).toBe(2)
})

test('the sum is that of the caches, whatever is asked of them', () => {
  const budget = new CacheBudget(500)
  const caches = [1, 2, 3].map(() => cacheOf(budget, 20))
  let seed = 7
  for (let time = 0; time < 5000; time++) {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    caches[seed % 3]?.ask((seed >> 5) % 60, (seed >> 9) % 80)
    expect(budget.bytes).toBe(caches.reduce((sum, { cache }) => sum + cache.bytes, 0))
    expect(budget.bytes).toBeLessThanOrEqual(500)
  }
})
