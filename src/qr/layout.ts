import { type FunctionPatterns, functionPatterns } from './patterns.ts'
import { parityTable } from './reed-solomon.ts'
import { type Version, versionFor } from './versions.ts'

/**
 * One mask for every symbol, instead of drawing all eight to keep the best: decoders read the mask from the
 * format bits, so any of them is valid. Over 800 payment payloads this one had by far the least penalty, 1755
 * on average by the rules of the standard, where a new choice for each had 1753 and the next mask 2160.
 */
const MASK = 0b010
const isInverted = (x: number): boolean => x % 3 === 0

const QUIET = 4 // modules, the least the standard allows

/**
 * All that a version's symbols have in common. They are drawn on a grid with a bit a cell, 1 when light, four
 * cells to a byte, so that at 4 px a cell each of its bytes is two bytes of a PNG row. A row of it is two
 * zero cells that become the filter byte, the modules with the quiet zone, and a light cell to fill the byte.
 */
export interface Layout {
  /** Modules along a side. */
  size: number
  /** Modules along a side with the quiet zone. */
  outerSize: number
  /** Bytes in a row of the grid. */
  stride: number
  /** How many bytes the length of the text takes. */
  countBytes: number
  dataLength: number
  blockCount: number
  /** Data codewords of a block. The last blocks have one more, when the data does not divide evenly. */
  shortLength: number
  shortBlocks: number
  /** Parity codewords of a block. */
  parityLength: number
  parityTable: Uint8Array
  /** The grid when all data bits are 0, mask included. */
  blank: Uint8Array
  /**
   * Where bits go in a grid: four times the byte, plus the shift within it. They are in the order of the data
   * blocks, then the parity blocks, one after another: interleaving the blocks costs nothing per symbol.
   */
  positions: Uint16Array
}

const gridPosition = (stride: number, x: number, y: number): number =>
  ((y + QUIET) * stride * 4 + 2 + QUIET + x) ^ 3

export function isLight(layout: Layout, grid: Uint8Array, x: number, y: number): boolean {
  const position = gridPosition(layout.stride, x, y)
  return (((grid[position >> 2] ?? 0) >> (position & 3)) & 1) === 1
}

/** The cells free for data in the order they fill: pairs of columns from the right, up and down by turns. */
function* freeCells(size: number, reserved: Uint8Array): Generator<readonly [x: number, y: number]> {
  let upwards = true
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5 // This column is all timing pattern, so it belongs to no pair.
    for (let step = 0; step < size; step++) {
      const y = upwards ? size - 1 - step : step
      for (const x of [right, right - 1]) if (reserved[y * size + x] === 0) yield [x, y]
    }
    upwards = !upwards
  }
}

type Blocks = Pick<Layout, 'dataLength' | 'blockCount' | 'shortLength' | 'shortBlocks' | 'parityLength'>

/** For each codeword in the order they are drawn, its index when the blocks are one after another. */
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
  const dataLength = bytes + countBytes + 1 // Half a byte of mode comes first and half a byte of terminator last.
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

/** The layout of the smallest symbol that holds so many bytes; each is built once. */
export function layoutFor(byteLength: number): Layout {
  const version = versionFor(byteLength)
  const known = layouts.get(version)
  if (known !== undefined) return known
  const layout = buildLayout(version)
  layouts.set(version, layout)
  return layout
}
