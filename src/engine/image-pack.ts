import type { FileHandle } from 'node:fs/promises'
import { digestOf } from './image-store.ts'
import { openSealed, sealLine } from './journal-format.ts'

/**
 * A pack holds images one after another: for each a line of JSON with its digest and its size, its bytes, and a line
 * feed. Images are only ever appended.
 */

/** Where the bytes of an image are in its pack. */
export interface ByteRange {
  readonly at: number
  readonly size: number
}

interface Header {
  readonly digest: string
  readonly size: number
}

const LINE_FEED = Buffer.from('\n')
const HEADER_START = Buffer.from('{"digest":"')
/** Longer than any header: a digest, a size of at most 16 digits, and a checksum. */
const HEADER_BYTES = 160
const SEARCHED_AT_ONCE = 256 * 1024

/** What is appended for each image, and the places that they have after that. `at` is the end of the pack. */
export function packed(images: Iterable<readonly [string, readonly Buffer[]]>, at: number) {
  const pieces: Buffer[] = []
  const places: (readonly [string, ByteRange])[] = []
  let end = at
  for (const [digest, bytes] of images) {
    const size = bytes.reduce((sum, { length }) => sum + length, 0)
    const header = Buffer.from(sealLine(JSON.stringify({ digest, size } satisfies Header)))
    pieces.push(header, ...bytes, LINE_FEED)
    places.push([digest, { at: end + header.length, size }])
    end += header.length + size + LINE_FEED.length
  }
  return { pieces, places, end }
}

/** Every whole image of a pack, with its place. What is damaged or incomplete is left out. */
export async function* imagesIn(handle: FileHandle): AsyncGenerator<readonly [string, ByteRange]> {
  const { size: end } = await handle.stat()
  let at = 0
  let isAfterDamage = false
  while (at < end) {
    const found = await imageAt(handle, at)
    // After damage this may be a part of an image that looks like a header, so the bytes must have the digest.
    if (found && found.next <= end && (!isAfterDamage || (await readImage(handle, found)))) {
      yield [found.digest, found.place]
      at = found.next
      isAfterDamage = false
    } else {
      at = await nextHeader(handle, at + 1, end)
      isAfterDamage = true
    }
  }
}

interface ImageInPack {
  readonly digest: string
  readonly place: ByteRange
  /** The position of the next header. */
  readonly next: number
}

async function imageAt(handle: FileHandle, at: number): Promise<ImageInPack | undefined> {
  const start = await readAt(handle, at, HEADER_BYTES)
  const length = start.indexOf(LINE_FEED)
  if (length === -1) return undefined
  try {
    const { digest, size } = openSealed<Header>(start.toString('latin1', 0, length))
    // Bytes of an image that look like a header may give any size.
    if (!Number.isSafeInteger(size) || size < 0) return undefined
    const place = { at: at + length + 1, size }
    return { digest, place, next: place.at + size + LINE_FEED.length }
  } catch {
    return undefined
  }
}

/** The next position from which a header may begin; the end if there is none. */
async function nextHeader(handle: FileHandle, from: number, end: number): Promise<number> {
  for (let at = from; at < end; at += SEARCHED_AT_ONCE) {
    const found = (await readAt(handle, at, SEARCHED_AT_ONCE + HEADER_START.length - 1)).indexOf(HEADER_START)
    if (found !== -1) return at + found
  }
  return end
}

/** The bytes of an image, if they are still those that were stored. */
export async function readImage(
  handle: FileHandle,
  { digest, place }: { readonly digest: string; readonly place: ByteRange },
): Promise<Buffer | undefined> {
  const bytes = await readAt(handle, place.at, place.size)
  return digestOf(bytes) === digest ? bytes : undefined
}

/** The bytes from a position on; fewer at the end of the file. */
async function readAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, at + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.subarray(0, read)
}
