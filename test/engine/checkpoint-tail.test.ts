import { expect, test } from 'vitest'
import { BYTES_A_CHECKPOINT, Tail } from '../../src/engine/checkpoint/checkpoints.ts'

/** When the changes in memory are many enough, or large enough, to be written aside. */

test('a checkpoint is due after so many entries, however small', () => {
  const tail = new Tail()
  expect([1, 2, 3, 4].map(() => tail.note(1, 3))).toEqual([false, false, true, true])
  tail.begin()
  expect(tail.note(1, 3)).toBe(false)
})

test('a checkpoint is due after so many bytes, however few entries', () => {
  const tail = new Tail()
  const third = Math.ceil(BYTES_A_CHECKPOINT / 3)
  expect([1, 2, 3].map(() => tail.note(third, 16_384))).toEqual([false, false, true])
  expect(tail.bytes).toBe(3 * third)
  tail.begin()
  expect(tail.bytes).toBe(0)
  expect(tail.note(third, 16_384)).toBe(false)
})
