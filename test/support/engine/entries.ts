import type { Entry } from '../../../src/domain/events.ts'

/** A minimal entry. */
export const entryNumber = (seq: number, asset = `ast_${seq}`): Entry => ({
  v: 1,
  seq,
  at: 1000 + seq,
  by: 'operator',
  events: [{ type: 'AssetStored', asset, kind: 'other', digest: 'd', size: 1, contentType: 'image/png' }],
})

export const entriesTo = (last: number): Entry[] =>
  Array.from({ length: last }, (_, at) => entryNumber(at + 1))
