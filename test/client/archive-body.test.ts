import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { archiveBody } from '../../src/client/control-caller.ts'

const ARCHIVE = Buffer.from(
  JSON.stringify({
    paysim: 1,
    account: 'a.test',
    seed: '\\"}]{"',
    entries: [{ events: ['ก}"'] }],
    images: {},
  }),
)

/** The bytes, cut into pieces at these places. */
function piecesOf(bytes: Buffer, cuts: readonly number[]): Readable {
  const places = [0, ...[...cuts].sort((one, other) => one - other), bytes.length]
  const pieces = places.slice(1).map((end, nth) => bytes.subarray(places[nth], end))
  return Readable.from(pieces.filter(piece => piece.length > 0))
}

const read = (body: Readable) => buffer(archiveBody(body, 'GET /export'))
const cuts = fc.array(fc.nat(ARCHIVE.length))

test('an archive is passed on unchanged, in pieces of any size', async () => {
  await fc.assert(
    fc.asyncProperty(cuts, fc.constantFrom('', '\n', ' \r\n'), async (places, rest) => {
      const bytes = Buffer.concat([ARCHIVE, Buffer.from(rest)])
      expect(await read(piecesOf(bytes, places))).toEqual(bytes)
    }),
  )
})

test('an archive that ends early is refused, wherever it ends', async () => {
  for (let length = 0; length < ARCHIVE.length; length++)
    await expect(read(piecesOf(ARCHIVE.subarray(0, length), []))).rejects.toThrow(
      /was not answered with an archive/,
    )
})

test.each([
  ['a text', 'hello, not an archive', /begin/],
  ['another object', '{"id":1}', /begin/],
  ['compressed bytes', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), /begin/],
  ['two archives', Buffer.concat([ARCHIVE, ARCHIVE]), /more after its end/],
  ['a page behind an archive', Buffer.concat([ARCHIVE, Buffer.from('<html>')]), /more after its end/],
])('%s is refused', async (_, bytes, why) => {
  await expect(read(Readable.from([Buffer.from(bytes as Buffer)]))).rejects.toThrow(why)
})
