import { createHash } from 'node:crypto'

/** The id of the nth record, as long as the ids of the server, and as hard to compress as a number of 96 bits. */
export const recordName = (prefix, nth) =>
  `${prefix}_${createHash('md5').update(String(nth)).digest('hex').slice(0, 24)}`
