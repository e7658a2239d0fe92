import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { SlownessWatch } from '../../src/explore/attempt.ts'

test('a delay of this process counts only from when it happened', async () => {
  const watch = new SlownessWatch()
  onTestFinished(() => watch.close())
  const before = performance.now()
  await pause(1)
  const until = performance.now() + 500
  while (performance.now() < until);
  expect(watch.wasSlowSince(before)).toBe(true)
  expect(watch.wasSlowSince(performance.now() + 3_600_000)).toBe(false)
})
