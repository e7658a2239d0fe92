import { crc32, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import jsqr from 'jsqr'
import { PNG } from 'pngjs'
import { describe, expect, test } from 'vitest'
import { qrModules } from '../../src/qr/qr-modules.ts'
import { qrPng } from '../../src/qr/qr-png.ts'

function decode(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png)
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data
}

const EMV_PAYLOAD =
  '00020101021226580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865406123.45' +
  '5802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D'

/** Bytes that versions 1 to 18 hold at level M: ISO/IEC 18004, table 7. */
const CAPACITIES = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560]

const ascii = (minLength: number, maxLength: number) =>
  fc.string({ unit: 'binary-ascii', minLength, maxLength })

describe('qrPng', () => {
  test('reads back as the same text, whatever the text', () => {
    fc.assert(
      fc.property(ascii(1, 400), text => {
        expect(decode(qrPng(text))).toBe(text)
      }),
      { numRuns: 50 },
    )
  })

  test.each(CAPACITIES.map((bytes, index) => ({ version: index + 1, bytes })))(
    'fills version $version with $bytes bytes',
    ({ version, bytes }) => {
      const full = EMV_PAYLOAD.repeat(4).slice(0, bytes)
      expect(qrModules(full).size).toBe(4 * version + 17)
      expect(decode(qrPng(full))).toBe(full)
      expect(decode(qrPng(full.slice(1)))).toBe(full.slice(1))
    },
  )

  test('carries text beyond ASCII as UTF-8', () => {
    for (const text of ['Café São João', 'ร้านกาแฟ', '咖啡店 ☕ 12.50', 'é'.repeat(280)]) {
      expect(decode(qrPng(text))).toBe(text)
    }
  })

  test('accepts at most 560 bytes', () => {
    expect(() => qrPng('a'.repeat(560))).not.toThrow()
    expect(() => qrPng('a'.repeat(561))).toThrow(RangeError)
    expect(() => qrPng('é'.repeat(281))).toThrow(RangeError)
    expect(() => qrModules('a'.repeat(100_000))).toThrow(RangeError)
  })

  test('is the same file for the same text, and later calls do not change it', () => {
    fc.assert(
      fc.property(ascii(1, 300), ascii(1, 300), (text, other) => {
        const first = qrPng(text)
        const kept = Buffer.from(first)
        qrPng(other)
        expect(first.equals(kept)).toBe(true)
        expect(qrPng(text).equals(kept)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  test('has one bit per pixel, 4 pixels per module, and a quiet zone of 4 modules', () => {
    const png = qrPng(EMV_PAYLOAD)
    const modules = qrModules(EMV_PAYLOAD)
    const side = (modules.size + 8) * 4
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([side, side])
    expect([...png.subarray(24, 29)], 'depth, colour, compression, filter, interlace').toEqual([
      1, 0, 0, 0, 0,
    ])

    const { data, width, height } = PNG.sync.read(png)
    let wrong = 0
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const isDark = modules.dark(Math.floor(x / 4) - 4, Math.floor(y / 4) - 4)
        if (data[(y * width + x) * 4] !== (isDark ? 0 : 255)) wrong++
      }
    }
    expect(wrong).toBe(0)
  })

  test('is a strict PNG: three chunks with their checksums, and image data of the exact length', () => {
    fc.assert(
      fc.property(ascii(1, 560), text => {
        const png = qrPng(text)
        const chunks: { type: string; data: Buffer }[] = []
        for (let at = 8; at < png.length; ) {
          const length = png.readUInt32BE(at)
          const body = png.subarray(at + 4, at + 8 + length)
          expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body))
          chunks.push({ type: body.toString('latin1', 0, 4), data: body.subarray(4) })
          at += length + 12
        }
        expect(chunks.map(chunk => chunk.type)).toEqual(['IHDR', 'IDAT', 'IEND'])
        const side = (qrModules(text).size + 8) * 4
        // inflateSync checks the Adler-32 sum.
        expect(inflateSync(chunks[1]?.data ?? '').length).toBe(side * (Math.ceil(side / 8) + 1))
      }),
      { numRuns: 100 },
    )
  })

  test('is small', () => {
    expect(qrPng(EMV_PAYLOAD).length).toBeLessThan(1000)
  })
})

describe('qrModules', () => {
  // The drawing is the one uqr makes at level M with mask 2: an implementation that is not ours agrees on it.
  test('draws a known payload', () => {
    const { size, dark } = qrModules(EMV_PAYLOAD)
    const rows = Array.from({ length: size }, (_, y) =>
      Array.from({ length: size }, (_, x) => (dark(x, y) ? '#' : '.')).join(''),
    )
    expect(rows.join('\n')).toMatchInlineSnapshot(`
      "#######..#.#..##.##.....#...#.##.#.######.#...#######
      #.....#...###....##.######.#.#.#..#.#...#.##..#.....#
      #.###.#.####..#.#.##....#..##.#.#..###.##..#..#.###.#
      #.###.#.#.##.#.#.##....#.#.#.#.#.#..#.#...#.#.#.###.#
      #.###.#.###.#.##..###.#.#####.####.##.....#...#.###.#
      #.....#.###.####.###....#...#..#..#.####..#...#.....#
      #######.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#######
      ........#......#.#.###.##...##......#...#.##.........
      #.#####........#.##..#..#####.####.##.##..#.#.#####..
      .###.#.###.##.....#.#.###...###.##..##.#..##.#..#...#
      #.##..##..######.#####.#####..###.#...##.#....#.####.
      #.#.#..#..#.###...#.######....#..#.#....###..#.#...#.
      ..###.#..#.#..###..###....#..###.##.####...##.#.####.
      ###..#......##..#.###.#.##..#.##...##.....#.....#...#
      ##.##.##...###..###.##.#..##.##.#..#####.#...####..#.
      ###..#.#.#...#.#..##.#..#..###.##.#..##.#.#..#.....##
      #....####.#...##.##..#.#####.#...####..#..####.######
      #...##.##.#.#.#.......###.#####.#.#....##.#..#..#...#
      ###...#.#.#.###..##...#......#...#..####.#.#..##.###.
      .#####...#.#####.#.######..######..#.....###.#.#.#...
      ..##..##...#.#####.#..#.####.....#..##.#..###...#..#.
      ..#.#......#....#.##.#..#..#..#.....#....##......#..#
      .#.#..###....###..#####.#...#..#.##.##.#...#.##.#.##.
      .#.#....#...#.##..####.#...###..##..##.###...#.#...#.
      ##.######.#.#####.#..#..#####..#...#.#......########.
      ..###...#....#.####.#.###...#.#.##.....#.#..#...#...#
      ...##.#.#..#.#.##...#..##.#.##.#####.##...###.#.#..#.
      .##.#...##...##.##...#.##...#..#.#.#....#.#.#...#....
      ..#.#####...##.#..#.##.########..#..#.##...#########.
      #....#..#..#.#.#.###..#####.####.#..#...#.##....##..#
      ...##.#.#.#.##...#......###.#.#...#.#.##.#........##.
      ##.###.#.##..#....#.....#.##.#...#.#..#.####.#..#....
      ..#..###.##.####..####..#####..#.##.##.#.#..##.#.####
      #####..#.#.#.#.####.#.#......#.##.........###...#..##
      .....####.#..###...###..#...#.#..#.####....###.....#.
      #..###.##.#...#.##..#.###.##.#####.#.#..#.##..#.#..##
      #######.###...#.####.#..............#.##..#....#.####
      ##...#.....#####...######.#...##.#.##..##.#.....##..#
      ..##..######.##.##..##...#..#.......####.#..##..#.##.
      #####.........#.###.#.....##.#.###.#.###.###..#.##...
      .#..#.###.#.....#.####.....#.##..##.#.#.###......####
      #...#....#.....#....#..#.##...##....#####.#.##.##...#
      ##.####..#..###.#.#.###.#..###....#.#...#...##.#####.
      .##.....#.##.#.###...###.....##.#.###.#...##..###..#.
      ...#..##.#...#...###.#.######.#.....#....##.########.
      ........#.#.##.###.#.####...#.#.#..##..#..#.#...#...#
      #######..#..#.###.###.#.#.#.##...##.####.##.#.#.#..#.
      #.....#.####.....######.#...#.#....#.##.#.#.#...#..#.
      #.###.#.##...##.###...#.###########.##.#.##.########.
      #.###.#.####.##...#..#.##..##.#.##..#.....###.##.....
      #.###.#.#.###.........#.###.##.##.#.###..#...##.##.##
      #.....#..#...#..#.#.#..#.#....##.#.#..####.....##..#.
      #######.#.#.####.###....####.###....#....###.######.."
    `)
  })

  test('is light all around', () => {
    const { size, dark } = qrModules(EMV_PAYLOAD)
    expect([dark(0, 0), dark(size - 1, 0), dark(0, size - 1)]).toEqual([true, true, true])
    expect([dark(-1, 0), dark(0, -1), dark(size, 0), dark(0, size), dark(-100, 1000)]).not.toContain(true)
  })
})
