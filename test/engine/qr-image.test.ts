import { createHash } from 'node:crypto'
import { crc32, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import jsqr from 'jsqr'
import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { qrImage } from '../../src/engine/account/rendering.ts'

function decode(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png)
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data
}

const EMV_PAYLOAD =
  '00020101021226580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865406123.45' +
  '5802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D'

const ascii = (minLength: number, maxLength: number) =>
  fc.string({ unit: 'binary-ascii', minLength, maxLength })

test('a code reads back as the same text, whatever the text', () => {
  fc.assert(
    fc.property(ascii(1, 400), text => {
      expect(decode(qrImage(text))).toBe(text)
    }),
    { numRuns: 50 },
  )
})

test('a code carries text beyond ASCII as UTF-8', () => {
  for (const text of ['Café São João', 'ร้านกาแฟ', '咖啡店 ☕ 12.50', 'é'.repeat(280)])
    expect(decode(qrImage(text))).toBe(text)
})

test('a text that no code can hold is refused', () => {
  expect(decode(qrImage('a'.repeat(2331)))).toBe('a'.repeat(2331))
  expect(() => qrImage('a'.repeat(2332))).toThrow('Capacity overflow')
  expect(() => qrImage('é'.repeat(1166))).toThrow('Capacity overflow')
})

// CI runs it on several versions of Node. Another version of the package may make other bytes.
test('an image has the same bytes on every Node', () => {
  const digest = createHash('sha256').update(qrImage(EMV_PAYLOAD)).digest('hex')
  expect(digest).toMatchInlineSnapshot(`"77a4f4220f82295541cde63f2b3d93b70731fcdcf607484c6f0f79dc7bc36efc"`)
})

test('later images do not change one', () => {
  const first = qrImage(EMV_PAYLOAD)
  const kept = Buffer.from(first)
  qrImage(EMV_PAYLOAD.toUpperCase())
  expect(first.equals(kept)).toBe(true)
  expect(qrImage(EMV_PAYLOAD).equals(kept)).toBe(true)
})

test('an image has one bit per pixel, 4 pixels per module, and a quiet zone of 4 modules', () => {
  const png = qrImage(EMV_PAYLOAD)
  expect([...png.subarray(24, 29)], 'depth, colour, compression, filter, interlace').toEqual([1, 0, 0, 0, 0])
  const { data, width, height } = PNG.sync.read(png)
  const isDark = (x: number, y: number) => data[(y * width + x) * 4] === 0
  expect([width, height]).toEqual([(53 + 8) * 4, (53 + 8) * 4])
  let wrong = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isQuiet = Math.min(x, y, width - 1 - x, height - 1 - y) < 16
      if (isDark(x, y) && isQuiet) wrong++
      if (isDark(x, y) !== isDark(x - (x % 4), y - (y % 4))) wrong++
    }
  expect(wrong).toBe(0)
  expect([isDark(16, 16), isDark(width - 17, 16), isDark(16, height - 17)], 'the finders').toEqual([
    true,
    true,
    true,
  ])
})

test('an image is a strict PNG: three chunks with their checksums, and image data of the exact length', () => {
  fc.assert(
    fc.property(ascii(1, 560), text => {
      const png = qrImage(text)
      const chunks: { type: string; data: Buffer }[] = []
      for (let at = 8; at < png.length; ) {
        const length = png.readUInt32BE(at)
        const body = png.subarray(at + 4, at + 8 + length)
        expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body))
        chunks.push({ type: body.toString('latin1', 0, 4), data: body.subarray(4) })
        at += length + 12
      }
      expect(chunks.map(chunk => chunk.type)).toEqual(['IHDR', 'IDAT', 'IEND'])
      const side = png.readUInt32BE(16)
      // inflateSync checks the Adler-32 sum.
      expect(inflateSync(chunks[1]?.data ?? '').length).toBe(side * (Math.ceil(side / 8) + 1))
    }),
    { numRuns: 100 },
  )
})

test('an image is small', () => {
  expect(qrImage(EMV_PAYLOAD).length).toBeLessThan(1000)
})
