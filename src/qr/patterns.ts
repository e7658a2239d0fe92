/** The cells that do not depend on the text: finders, alignment, timing, format and version information. */
export interface FunctionPatterns {
  size: number
  /** The cells row by row: 1 for a dark cell of a function pattern. */
  dark: Uint8Array
  /** The cells row by row: 1 for a cell that must not contain data. */
  reserved: Uint8Array
}

const LEVEL_M = 0b00
const FORMAT_GENERATOR = 0b101_0011_0111
/** The format bits are XORed with this, so that they are never all light. */
const FORMAT_MASK = 0b101_0100_0001_0010
const VERSION_GENERATOR = 0b1_1111_0010_0101

/** A BCH code: `value`, followed by the remainder of its division by the generator. */
function withRemainder(value: number, generator: number): number {
  const degree = 31 - Math.clz32(generator)
  let remainder = value << degree
  while (remainder >> degree > 0) remainder ^= generator << (31 - Math.clz32(remainder) - degree)
  return (value << degree) | remainder
}

/**
 * The centres of the alignment patterns on each axis. They are at both ends and at even positions between them, in
 * equal steps that are counted from the far end.
 */
function alignmentCentres(version: number): number[] {
  if (version === 1) return []
  const steps = Math.floor(version / 7) + 1
  const last = 4 * version + 10
  const step = 2 * Math.ceil((last - 6) / (2 * steps))
  return [6, ...Array.from({ length: steps }, (_, i) => last - (steps - 1 - i) * step)]
}

export function functionPatterns(version: number, mask: number): FunctionPatterns {
  const size = 4 * version + 17
  const dark = new Uint8Array(size * size)
  const reserved = new Uint8Array(size * size)

  const set = (x: number, y: number, isDark: boolean): void => {
    if (x < 0 || y < 0 || x >= size || y >= size) return
    dark[y * size + x] = isDark ? 1 : 0
    reserved[y * size + x] = 1
  }
  /** Draws square rings around a centre. `lightRings` has the distances of the light ones. */
  const rings = (centreX: number, centreY: number, radius: number, lightRings: readonly number[]): void => {
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        set(centreX + dx, centreY + dy, !lightRings.includes(Math.max(Math.abs(dx), Math.abs(dy))))
      }
    }
  }

  for (let i = 0; i < size; i++) {
    set(i, 6, i % 2 === 0)
    set(6, i, i % 2 === 0)
  }

  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    rings(x, y, 4, [2, 4])

  const centres = alignmentCentres(version)
  for (const y of centres) {
    for (const x of centres) {
      const underFinder = (x === 6 && y === 6) || (x === 6 && y === size - 7) || (x === size - 7 && y === 6)
      if (!underFinder) rings(x, y, 2, [1])
    }
  }

  const format = withRemainder((LEVEL_M << 3) | mask, FORMAT_GENERATOR) ^ FORMAT_MASK
  for (let i = 0; i < 15; i++) {
    const isDark = ((format >> i) & 1) === 1
    // One copy is around the top left finder, without the timing patterns. The other is split between the other two.
    if (i < 8) {
      set(8, i < 6 ? i : i + 1, isDark)
      set(size - 1 - i, 8, isDark)
    } else {
      set(i === 8 ? 7 : 14 - i, 8, isDark)
      set(8, size - 15 + i, isDark)
    }
  }
  set(8, size - 8, true)

  if (version >= 7) {
    const bits = withRemainder(version, VERSION_GENERATOR)
    for (let i = 0; i < 18; i++) {
      const isDark = ((bits >> i) & 1) === 1
      const along = Math.floor(i / 3)
      const across = size - 11 + (i % 3)
      set(along, across, isDark)
      set(across, along, isDark)
    }
  }
  return { size, dark, reserved }
}
