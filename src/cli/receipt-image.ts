import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { checkImage, readSource } from '../client/receipt.ts'
import { visible } from './output/text.ts'

/** Reads an image, or stdin for `-`. Throws an error if the server would not accept it. */
export async function readImage(path: string): Promise<{ bytes: Buffer; filename: string }> {
  const source = await readSource(path === '-' ? process.stdin : path)
  const type = checkImage(source)
  const bytes = await buffer(await source.open())
  warnIfCut(path === '-' ? 'stdin' : path, bytes)
  return { bytes, filename: path === '-' ? `stdin.${type === 'image/png' ? 'png' : 'jpg'}` : basename(path) }
}

/**
 * Warns about an image that has no end, before it is sent. A server looks at its size and its first bytes, and takes it, but
 * a reader of the receipt sees a part of it.
 */
function warnIfCut(name: string, bytes: Buffer): void {
  if (hasEnd(bytes)) return
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
