import { encode } from 'fast-png'
import { encodeQR } from 'qr'

/** A module has 4 pixels on each side: so it fills half a byte of a row, in which a pixel has one bit. */
const PIXELS = 4
const LEFT_HALF = 0xf0
const RIGHT_HALF = 0x0f

/**
 * The QR code of a text as a PNG, with the quiet zone of 4 modules that the standard requires. Its mask is always the
 * same, because a decoder reads any, and to choose the best of all eight takes as long as to draw one. The bytes do not
 * depend on the version of Node, as those of `node:zlib` would.
 */
export function qrImage(text: string): Buffer {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', mask: 2, border: 4 })
  const side = modules.length * PIXELS
  const rowLength = Math.ceil(side / 8)
  const data = new Uint8Array(rowLength * side).fill(0xff)
  modules.forEach((row, y) => {
    const pixels = data.subarray(y * PIXELS * rowLength, (y + 1) * PIXELS * rowLength)
    row.forEach((dark, x) => {
      if (dark) pixels[x >> 1] = (pixels[x >> 1] ?? 0) & ~(x % 2 === 0 ? LEFT_HALF : RIGHT_HALF)
    })
    for (let copy = 1; copy < PIXELS; copy++) pixels.copyWithin(copy * rowLength, 0, rowLength)
  })
  const png = encode({ width: side, height: side, data, depth: 1, channels: 1 }, { zlib: { level: 1 } })
  return Buffer.from(png.buffer, png.byteOffset, png.length)
}
