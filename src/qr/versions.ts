export interface Version {
  number: number
  /** How many bytes of text it holds. */
  bytes: number
  /** Parity codewords of a block. */
  parityLength: number
  blockCount: number
}

/**
 * By version, from 1: the bytes it holds at error correction level M, the parity codewords of a block and the
 * number of blocks (ISO/IEC 18004, tables 7 and 9). Version 18 goes past the 512 characters that EMVCo allows
 * a payload, so no weaker level is ever needed.
 */
const AT_LEVEL_M: readonly (readonly [bytes: number, parityLength: number, blockCount: number])[] = [
  [14, 10, 1],
  [26, 16, 1],
  [42, 26, 1],
  [62, 18, 2],
  [84, 24, 2],
  [106, 16, 4],
  [122, 18, 4],
  [152, 22, 4],
  [180, 22, 5],
  [213, 26, 5],
  [251, 30, 5],
  [287, 22, 8],
  [331, 22, 9],
  [362, 24, 9],
  [412, 24, 10],
  [450, 28, 10],
  [504, 28, 11],
  [560, 26, 13],
]

const VERSIONS: readonly Version[] = AT_LEVEL_M.map(([bytes, parityLength, blockCount], index) => ({
  number: index + 1,
  bytes,
  parityLength,
  blockCount,
}))

/** The smallest version that holds this many bytes. */
export function versionFor(byteLength: number): Version {
  const version = VERSIONS.find(({ bytes }) => bytes >= byteLength)
  if (version !== undefined) return version
  const most = VERSIONS.at(-1)?.bytes
  throw new RangeError(`A text of ${byteLength} bytes does not fit in a QR symbol, which holds ${most}`)
}
