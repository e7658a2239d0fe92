const REMAINDERS = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8
  for (let bit = 0; bit < 8; bit++)
    remainder = remainder & 0x8000 ? (remainder << 1) ^ 0x1021 : remainder << 1
  return remainder
})

/** CRC-16/CCITT-FALSE (polynomial 1021, start FFFF) of ASCII text, as the four letters that EMVCo puts in tag 63. */
export function crc16(ascii: string): string {
  let crc = 0xffff
  for (let i = 0; i < ascii.length; i++) {
    const remainder = REMAINDERS[((crc >> 8) ^ ascii.charCodeAt(i)) & 0xff] ?? 0
    crc = ((crc << 8) ^ remainder) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
