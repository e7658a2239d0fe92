/** Reed-Solomon parity over GF(256) with the polynomial 0x11d, as ISO/IEC 18004 requires. */

const FIELD_POLYNOMIAL = 0x11d
const powerOfTwo = new Uint8Array(255)
const logarithm = new Uint8Array(256)

let power = 1
for (let exponent = 0; exponent < 255; exponent++) {
  powerOfTwo[exponent] = power
  logarithm[power] = exponent
  power <<= 1
  if (power > 255) power ^= FIELD_POLYNOMIAL
}

const multiply = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : (powerOfTwo[((logarithm[a] ?? 0) + (logarithm[b] ?? 0)) % 255] ?? 0)

/** The product of (x - 2^i) for all i below `degree`. The highest power is first, without its factor 1. */
function generatorPolynomial(degree: number): Uint8Array {
  const coefficients = new Uint8Array(degree)
  coefficients[degree - 1] = 1
  for (let factor = 0; factor < degree; factor++) {
    const root = powerOfTwo[factor] ?? 0
    for (let i = 0; i < degree; i++) {
      coefficients[i] = multiply(coefficients[i] ?? 0, root) ^ (coefficients[i + 1] ?? 0)
    }
  }
  return coefficients
}

/**
 * The generator multiplied by every value of a byte, with one row of `degree` bytes for each value. A step of the
 * division is then a row of plain XORs, without logarithms in the inner loop.
 */
export function parityTable(degree: number): Uint8Array {
  const generator = generatorPolynomial(degree)
  const table = new Uint8Array(256 * degree)
  for (let value = 0; value < 256; value++) {
    for (let i = 0; i < degree; i++) table[value * degree + i] = multiply(value, generator[i] ?? 0)
  }
  return table
}

/** It is longer than any block with its parity. All calls share it, because a division starts and ends in one call. */
const dividend = new Uint8Array(256)

/** Divides the block at `start` by the generator, and writes the remainder, which is the parity, at `parityStart`. */
export function writeParity(
  codewords: Uint8Array,
  start: number,
  length: number,
  parityStart: number,
  table: Uint8Array,
  degree: number,
): void {
  for (let i = 0; i < length; i++) dividend[i] = codewords[start + i] ?? 0
  dividend.fill(0, length, length + degree)
  for (let i = 0; i < length; i++) {
    const row = (dividend[i] ?? 0) * degree
    for (let j = 0; j < degree; j++) dividend[i + 1 + j] = (dividend[i + 1 + j] ?? 0) ^ (table[row + j] ?? 0)
  }
  for (let i = 0; i < degree; i++) codewords[parityStart + i] = dividend[length + i] ?? 0
}
