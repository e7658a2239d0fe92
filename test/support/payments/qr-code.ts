import jsqr from 'jsqr'
import { PNG } from 'pngjs'

/** The text that the camera of a phone would read from a PNG. */
export function readQrCode(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png)
  // jsqr is CommonJS with a default export of its own.
  const decode = (jsqr as unknown as { default?: typeof jsqr.default }).default ?? jsqr
  const read = decode as unknown as (
    pixels: Uint8ClampedArray,
    width: number,
    height: number,
  ) => { data: string } | null
  return read(new Uint8ClampedArray(data), width, height)?.data
}

export function pngOfDataUrl(url: string): Buffer {
  const prefix = 'data:image/png;base64,'
  if (!url.startsWith(prefix)) throw new Error(`no PNG data URL: ${url.slice(0, 60)}`)
  return Buffer.from(url.slice(prefix.length), 'base64')
}

/** The tags of an EMVCo merchant-presented code, in their order. Throws if any byte is not part of a tag. */
export function emvTags(payload: string): Map<string, string> {
  const bytes = Buffer.from(payload)
  const tags = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.subarray(at, at + 2).toString()
    const length = bytes.subarray(at + 2, at + 4).toString()
    const value = bytes.subarray(at + 4, at + 4 + Number(length))
    if (!/^\d\d$/.test(tag) || !/^\d\d$/.test(length) || value.length !== Number(length) || tags.has(tag)) {
      throw new Error(`not an EMVCo payload at byte ${at}: ${payload}`)
    }
    tags.set(tag, value.toString())
    at += 4 + value.length
  }
  return tags
}

/** The CRC-16/CCITT-FALSE of everything except its own four digits, as in tag 63 of EMVCo. */
export function emvChecksum(payload: string): string {
  let crc = 0xffff
  for (const byte of Buffer.from(payload).subarray(0, -4)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
