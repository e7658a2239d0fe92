import { visible } from './output/text.ts'

/**
 * Warns about an image that has no end, before it is sent. A server looks at its size and its first bytes, and takes it, but
 * a reader of the receipt sees a part of it.
 */
export function warnIfCut(name: string, bytes: Uint8Array): void {
  if (hasEnd(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) return
  process.stderr.write(
    `! ${visible(name)} has no end, so a part of the image is missing: download or save it again. It is sent as it is.\n`,
  )
}

const IEND = Buffer.from([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])
const START_OF_SCAN = Buffer.from([0xff, 0xda])
const END_OF_IMAGE = Buffer.from([0xff, 0xd9])

/** A preview in a JPEG has an end of its own, so the one that counts comes after the last scan. */
const hasEnd = (bytes: Buffer): boolean =>
  bytes[0] === 0x89
    ? bytes.includes(IEND)
    : bytes.lastIndexOf(END_OF_IMAGE) > bytes.lastIndexOf(START_OF_SCAN)
