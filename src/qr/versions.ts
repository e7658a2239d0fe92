export interface Version {
  number: number
  /** The largest number of bytes of text. */
  bytes: number
  /** The number of parity codewords in a block. */
  parityLength: number
  blockCount: number
}

/**
 * For each version, from 1 on: the bytes of text at error correction level M, the parity codewords of a block, and the
 * number of blocks (ISO/IEC 18004, tables 7 and 9). Version 18 holds more than the 512 characters that EMVCo allows for
 * a payload, so a weaker level is never needed.
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

/** The smallest version for this number of bytes. */
export function versionFor(byteLength: number): Version {
  const version = VERSIONS.find(({ bytes }) => bytes >= byteLength)
  if (version !== undefined) return version
  const most = VERSIONS.at(-1)?.bytes
  throw new RangeError(`A text of ${byteLength} bytes does not fit in a QR symbol, which holds ${most}`)
}
