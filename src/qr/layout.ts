import { type FunctionPatterns, functionPatterns } from './patterns.ts'
import { parityTable } from './reed-solomon.ts'
import { type Version, versionFor } from './versions.ts'

/**
 * Every symbol has this mask, because drawing all eight to choose the best one takes long. Decoders read the mask from
 * the format bits, so any mask is valid. By the rules of the standard, this one had an average penalty of 1755 over 800
 * payment payloads; the best mask for each payload had 1753, and the second-best single mask 2160.
 */
const MASK = 0b010
const isInverted = (x: number): boolean => x % 3 === 0

const QUIET = 4 // modules, the minimum in the standard

/**
 * What all symbols of a version have in common. They are drawn on a grid with one bit for each cell, which is 1 for a
 * light cell, and with four cells in a byte. A cell has 4 pixels, so a byte of the grid becomes two bytes of a PNG row.
 * A row of the grid has two zero cells that become the filter byte, then the modules with the quiet zone, then a light
 * cell that fills the last byte.
 */
export interface Layout {
  /** The number of modules on one side. */
  size: number
  /** The number of modules on one side with the quiet zone. */
  outerSize: number
  /** The number of bytes in a row of the grid. */
  stride: number
  /** The number of bytes for the length of the text. */
  countBytes: number
  dataLength: number
  blockCount: number
  /** The number of data codewords in a block. The last blocks have one more if the data cannot be divided evenly. */
  shortLength: number
  shortBlocks: number
  /** The number of parity codewords in a block. */
  parityLength: number
  parityTable: Uint8Array
  /** The grid of a symbol whose data bits are all 0, with the mask. */
  blank: Uint8Array
  /**
   * The position of each bit in a grid: four times the byte, plus the shift in that byte. The positions are in the
   * order of the data blocks and then the parity blocks, so that no symbol has to interleave its blocks.
   */
  positions: Uint16Array
}

const gridPosition = (stride: number, x: number, y: number): number =>
  ((y + QUIET) * stride * 4 + 2 + QUIET + x) ^ 3

export function isLight(layout: Layout, grid: Uint8Array, x: number, y: number): boolean {
  const position = gridPosition(layout.stride, x, y)
  return (((grid[position >> 2] ?? 0) >> (position & 3)) & 1) === 1
}

/** The cells for data in the order of filling: in pairs of columns from the right, up and down in turn. */
function* freeCells(size: number, reserved: Uint8Array): Generator<readonly [x: number, y: number]> {
  let upwards = true
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5 // This column has only the timing pattern, so it belongs to no pair.
    for (let step = 0; step < size; step++) {
      const y = upwards ? size - 1 - step : step
      for (const x of [right, right - 1]) if (reserved[y * size + x] === 0) yield [x, y]
    }
    upwards = !upwards
  }
}

type Blocks = Pick<Layout, 'dataLength' | 'blockCount' | 'shortLength' | 'shortBlocks' | 'parityLength'>

/** For each codeword, in the order of drawing, its index in the sequence of the blocks. */
function interleaving({ dataLength, blockCount, shortLength, shortBlocks, parityLength }: Blocks): number[] {
  const order: number[] = []
  for (let i = 0; i <= shortLength; i++) {
    for (let block = i < shortLength ? 0 : shortBlocks; block < blockCount; block++) {
      order.push(block * shortLength + Math.max(0, block - shortBlocks) + i)
    }
  }
  for (let i = 0; i < parityLength; i++) {
    for (let block = 0; block < blockCount; block++) order.push(dataLength + block * parityLength + i)
  }
  return order
}

function blankGrid(
  { size, dark, reserved }: FunctionPatterns,
  outerSize: number,
  stride: number,
): Uint8Array {
  const grid = new Uint8Array(outerSize * stride).fill(0b1111)
  for (let y = 0; y < outerSize; y++) grid[y * stride] = 0b0011
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const at = y * size + x
      const isDark = reserved[at] === 1 ? dark[at] === 1 : isInverted(x)
      const position = gridPosition(stride, x, y)
      if (isDark) grid[position >> 2] = (grid[position >> 2] ?? 0) & ~(1 << (position & 3))
    }
  }
  return grid
}

function buildLayout({ number, bytes, parityLength, blockCount }: Version): Layout {
  const patterns = functionPatterns(number, MASK)
  const { size } = patterns
  const outerSize = size + 2 * QUIET
  const stride = number + 7
  const countBytes = number < 10 ? 1 : 2
  const dataLength = bytes + countBytes + 1 // The mode takes half a byte at the start, the terminator half at the end.
  const shortLength = Math.floor(dataLength / blockCount)
  const shortBlocks = blockCount - (dataLength % blockCount)
  const blocks: Blocks = { dataLength, blockCount, shortLength, shortBlocks, parityLength }

  const cells = freeCells(size, patterns.reserved)
  const order = interleaving(blocks)
  const positions = new Uint16Array(order.length * 8)
  for (const codeword of order) {
    for (let bit = 0; bit < 8; bit++) {
      const [x, y] = cells.next().value ?? [0, 0]
      positions[codeword * 8 + bit] = gridPosition(stride, x, y)
    }
  }
  const blank = blankGrid(patterns, outerSize, stride)
  return {
    ...blocks,
    size,
    outerSize,
    stride,
    countBytes,
    parityTable: parityTable(parityLength),
    blank,
    positions,
  }
}

const layouts = new Map<Version, Layout>()

/** The layout of the smallest symbol for this number of bytes. Each layout is built once. */
export function layoutFor(byteLength: number): Layout {
  const version = versionFor(byteLength)
  const known = layouts.get(version)
  if (known !== undefined) return known
  const layout = buildLayout(version)
  layouts.set(version, layout)
  return layout
}
