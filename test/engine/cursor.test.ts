import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdSource } from '../../src/engine/account/ids.ts'
import { readCursor, writeCursor } from '../../src/server/lists.ts'

const signerOf = (seed: string) => new IdSource(seed)
const SIGNER = signerOf('a seed')
const positions = fc.record({ at: fc.integer({ min: -(10 ** 14), max: 10 ** 14 }), ordinal: fc.nat() })

test('a cursor reads back as its position', () => {
  fc.assert(
    fc.property(positions, position => {
      expect(readCursor(SIGNER, writeCursor(SIGNER, position))).toEqual(position)
      expect(readCursor(signerOf('another seed'), writeCursor(SIGNER, position))).toBeUndefined()
    }),
  )
})

test('any byte that is changed, lost or added makes a cursor invalid', () => {
  const cursor = writeCursor(SIGNER, { at: 1_767_225_600_000, ordinal: 42 })
  for (let at = 0; at <= cursor.length; at++) {
    const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)]
    for (const other of ['A', 'b', '0', '-', '_', '=', ' '].filter(each => each !== cursor[at])) {
      expect(readCursor(SIGNER, before + other + after)).toBeUndefined()
      expect(readCursor(SIGNER, before + other + cursor.slice(at))).toBeUndefined()
    }
    if (at < cursor.length) expect(readCursor(SIGNER, before + after)).toBeUndefined()
  }
})

test('refuses a made-up cursor', () => {
  const made = (text: string) => Buffer.from(text).toString('base64url')
  for (const cursor of [
    '',
    '.',
    'x',
    made('1.2'),
    made('1.2.'),
    made('NaN.NaN.x'),
    made('1e3.2.x'),
    made('Infinity.0.x'),
  ])
    expect([cursor, readCursor(SIGNER, cursor)]).toEqual([cursor, undefined])
  const anyText = fc.uint16Array().map(units => String.fromCharCode(...units))
  fc.assert(fc.property(anyText, text => readCursor(SIGNER, text) === undefined))
})
