import { type Layout, layoutFor } from './layout.ts'
import { writeParity } from './reed-solomon.ts'

export interface QrSymbol {
  layout: Layout
  /** The symbol with its quiet zone, as Layout describes. */
  grid: Uint8Array
}

const BYTE_MODE = 0b0100
/** All calls share these, because no call needs them after its end. A symbol has at most 901 codewords. */
const codewords = new Uint8Array(1024)
const textBytes = Buffer.alloc(1024)

/** Writes the mode, the length, the text, the terminator and the padding. */
function writeData(layout: Layout, byteLength: number): void {
  let end = 0
  // The mode takes half a codeword, so every byte after it is split between two codewords.
  let half = BYTE_MODE
  if (layout.countBytes === 2) {
    codewords[end++] = (half << 4) | (byteLength >> 12)
    half = (byteLength >> 8) & 15
  }
  codewords[end++] = (half << 4) | ((byteLength >> 4) & 15)
  half = byteLength & 15
  for (let i = 0; i < byteLength; i++) {
    const byte = textBytes[i] ?? 0
    codewords[end++] = (half << 4) | (byte >> 4)
    half = byte & 15
  }
  codewords[end++] = half << 4
  for (let padding = 0xec; end < layout.dataLength; padding ^= 0xec ^ 0x11) codewords[end++] = padding
}

function writeParities(layout: Layout): void {
  const { dataLength, blockCount, shortLength, shortBlocks, parityLength, parityTable } = layout
  let start = 0
  for (let block = 0; block < blockCount; block++) {
    const length = block < shortBlocks ? shortLength : shortLength + 1
    writeParity(codewords, start, length, dataLength + block * parityLength, parityTable, parityLength)
    start += length
  }
}

function drawCodewords({ blank, positions }: Layout): Uint8Array {
  const grid = blank.slice()
  let next = 0
  for (let index = 0; next < positions.length; index++) {
    let codeword = codewords[index] ?? 0
    for (const end = next + 8; next < end; next++) {
      const position = positions[next] ?? 0
      grid[position >> 2] = (grid[position >> 2] ?? 0) ^ (((codeword >> 7) & 1) << (position & 3))
      codeword <<= 1
    }
  }
  return grid
}

export function encode(text: string): QrSymbol {
  const byteLength = Buffer.byteLength(text)
  const layout = layoutFor(byteLength)
  textBytes.write(text)
  writeData(layout, byteLength)
  writeParities(layout)

  return { layout, grid: drawCodewords(layout) }
}
