import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { READ_BYTES } from '../../../src/engine/checkpoint/past-table.ts'

let count = 0
const { readSync } = fs
fs.readSync = ((...given: Parameters<typeof readSync>) => {
  // Small files of the package are read once, and whole.
  if (!new Error('where').stack?.includes('readFileSync')) count++
  return readSync(...given)
}) as typeof readSync
// What was imported by its name is counted too.
syncBuiltinESMExports()

/** How often a file was read while everything else waited. */
export const syncReads = () => count

/** What a test looks up by itself does not count. */
export function uncounted<T>(act: () => T): T {
  const before = count
  try {
    return act()
  } finally {
    count = before
  }
}

/** Takes all records that were read out of memory, as if many others had been read since. */
export function forgetWhatWasRead(): void {
  const others = { bytes: READ_BYTES.most, shrink: () => {} }
  READ_BYTES.grow(others, others.bytes)
  READ_BYTES.free(others.bytes)
  READ_BYTES.leave(others)
}
