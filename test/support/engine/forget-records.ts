import { READ_BYTES } from '../../../src/engine/checkpoint/past-table.ts'

/** Takes all records that were read out of memory, as if many others had been read since. */
export function forgetRecords(): void {
  const others = { bytes: READ_BYTES.most, shrink: () => {} }
  READ_BYTES.grow(others, others.bytes)
  READ_BYTES.free(others.bytes)
  READ_BYTES.leave(others)
}
