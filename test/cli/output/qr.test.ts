import { stripVTControlCharacters } from 'node:util'
import jsqr from 'jsqr'
import { expect, test } from 'vitest'
import { drawQr } from '../../../src/cli/output/views/payment.ts'
import { QR_DATA } from '../../support/cli/samples.ts'
import { screenOf } from '../../support/cli/screen-of.ts'

const LIT: Record<string, readonly [upper: boolean, lower: boolean]> = {
  '█': [true, true],
  '▀': [true, false],
  '▄': [false, true],
  ' ': [false, false],
}
const PIXELS = 4

/** What a camera reads, told how light the blocks are and how light what is behind them. */
function scanned(drawing: string, ink: number, paper: number): string | undefined {
  const rows = drawing.split('\n').flatMap(line => {
    const halves = [...line].map(sign => LIT[sign] ?? [false, false])
    return [halves.map(([upper]) => upper), halves.map(([, lower]) => lower)]
  })
  const width = (rows[0]?.length ?? 0) * PIXELS
  const height = rows.length * PIXELS
  const image = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const light = rows[Math.floor(y / PIXELS)]?.[Math.floor(x / PIXELS)] ? ink : paper
      image.fill(light, (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  return jsqr.default(image, width, height, { inversionAttempts: 'dontInvert' })?.data
}

test.each([QR_DATA, 'https://pay.example/ค่าน้ำ', 'a'])(
  '%s is readable from the terminal, black on white',
  async text => {
    const drawing = drawQr(text, screenOf(100, 3))
    for (const line of drawing.split('\n')) {
      expect(line).toContain('\u001b[48;2;255;255;255m')
      expect(line).toContain('\u001b[38;2;0;0;0m')
    }
    expect(scanned(stripVTControlCharacters(drawing), 0, 255)).toBe(text)
  },
)

test('a code without colours is readable on a dark screen', async () => {
  expect(scanned(drawQr(QR_DATA, screenOf(100)), 255, 0)).toBe(QR_DATA)
})

test('a narrow screen reduces the quiet zone, and the code is still readable', async () => {
  const wide = drawQr(QR_DATA, screenOf(100))
  const width = [...(wide.split('\n')[0] ?? '')].length
  const narrow = drawQr(QR_DATA, screenOf(width - 1))
  expect([...(narrow.split('\n')[0] ?? '')].length).toBe(width - 4)
  expect(scanned(narrow, 255, 0)).toBe(QR_DATA)
})

test('explains why a code is not drawn', async () => {
  expect(drawQr(QR_DATA, screenOf(30))).toBe('(the QR code needs 37 columns, but the screen has only 30)')
  expect(drawQr('x'.repeat(2332), screenOf(200))).toBe('(2332 bytes are too many for a QR code)')
})
