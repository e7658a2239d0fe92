import { crc32 } from 'node:zlib'
import { END_OF_BLOCK, LITERALS_OF_GRID_BYTE, type RowCode, rowCode } from './deflate.ts'
import type { Layout } from './layout.ts'
import type { QrSymbol } from './symbol.ts'

const PIXELS_PER_MODULE = 4
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** The header for deflate with a window of 32 KiB and no dictionary. */
const ZLIB_HEADER = Buffer.from([0x78, 0x01])
const ADLER_MODULUS = 65521

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4)
  return bytes
}

const END_CHUNK = chunk('IEND', new Uint8Array())

/** What all images of a version have in common. */
interface Frame extends RowCode {
  /** Everything before the first row. */
  head: Buffer
  /** Where the data of the IDAT chunk starts. */
  dataStart: number
}

function buildFrame({ outerSize, stride }: Layout): Frame {
  const code = rowCode(2 * stride)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(outerSize * PIXELS_PER_MODULE)
  header.writeUInt32BE(outerSize * PIXELS_PER_MODULE, 4)
  header[8] = 1 // The bit depth. The zeros after it mean grayscale, deflate, the usual filters, and no interlacing.
  const beforeData = Buffer.concat([SIGNATURE, chunk('IHDR', header)])
  const dataHead = chunk('IDAT', Buffer.concat([ZLIB_HEADER, code.header])).subarray(0, -4)
  return { ...code, head: Buffer.concat([beforeData, dataHead]), dataStart: beforeData.length + 8 }
}

const frames = new Map<Layout, Frame>()

function frameOf(layout: Layout): Frame {
  const known = frames.get(layout)
  if (known !== undefined) return known
  const frame = buildFrame(layout)
  frames.set(layout, frame)
  return frame
}

/** For each byte of the grid, which is four modules: the two literals that draw it, and their part of the checksum. */
const literalBits = Uint8Array.from(LITERALS_OF_GRID_BYTE, bits => bits.value)
const literalCount = Uint8Array.from(LITERALS_OF_GRID_BYTE, bits => bits.count)
const PIXELS_OF_PAIR = [0x00, 0x0f, 0xf0, 0xff]
const byteSum = new Uint16Array(16)
const byteSumOfSums = new Uint16Array(16)
for (let gridByte = 0; gridByte < 16; gridByte++) {
  const first = PIXELS_OF_PAIR[gridByte >> 2] ?? 0
  const second = PIXELS_OF_PAIR[gridByte & 3] ?? 0
  byteSum[gridByte] = first + second
  byteSumOfSums[gridByte] = 2 * first + second
}

/** All calls share this, because an image is copied from it at once. The largest image has about 2 KB. */
const scratch = Buffer.alloc(8192)

export function drawPng({ layout, grid }: QrSymbol): Buffer {
  const { outerSize, stride } = layout
  const rowLength = 2 * stride
  const { head, headerRest, repeat, dataStart } = frameOf(layout)
  scratch.set(head)
  let end = head.length
  let pending = headerRest.value
  let pendingCount = headerRest.count
  let adlerLow = 1
  let adlerHigh = 0
  let at = 0
  for (let row = 0; row < outerSize; row++) {
    let sum = 0
    let sumOfSums = 0
    for (const rowEnd = at + stride; at < rowEnd; at++) {
      const gridByte = grid[at] ?? 0
      pending |= (literalBits[gridByte] ?? 0) << pendingCount
      pendingCount += literalCount[gridByte] ?? 0
      // At most 6 bits were added, so it is enough to write one byte each time, even after the repeat of a row.
      if (pendingCount >= 8) {
        scratch[end++] = pending
        pending >>>= 8
        pendingCount -= 8
      }
      sumOfSums += 2 * sum + (byteSumOfSums[gridByte] ?? 0)
      sum += byteSum[gridByte] ?? 0
    }
    pending |= repeat.value << pendingCount
    pendingCount += repeat.count
    // Computes Adler-32 of four equal rows of pixels at once, from the sums of one row.
    adlerHigh = (adlerHigh + rowLength * (4 * adlerLow + 6 * sum) + 4 * sumOfSums) % ADLER_MODULUS
    adlerLow = (adlerLow + 4 * sum) % ADLER_MODULUS
  }
  pending |= END_OF_BLOCK.value << pendingCount
  pendingCount += END_OF_BLOCK.count
  for (; pendingCount > 0; pendingCount -= 8) {
    scratch[end++] = pending
    pending >>>= 8
  }
  end = scratch.writeUInt16BE(adlerHigh, end)
  end = scratch.writeUInt16BE(adlerLow, end)
  scratch.writeUInt32BE(end - dataStart, dataStart - 8)
  end = scratch.writeUInt32BE(crc32(scratch.subarray(dataStart - 4, end)), end)
  scratch.set(END_CHUNK, end)
  return Buffer.from(scratch.subarray(0, end + END_CHUNK.length))
}
