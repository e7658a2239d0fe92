import { type FileHandle, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openSealed, sealLine } from '../journal/journal-format.ts'
import { demandDigest, digestOf, type ImageStore } from './image-store.ts'
import {
  demandPrivateFolder,
  makePrivateFolder,
  openPrivate,
  removeFile,
  syncDirectory,
  unless,
  useFile,
  writeAllPieces,
} from './private-files.ts'
import { UnavailableError } from './store-errors.ts'

type Images = Map<string, readonly Buffer[]>

interface KnownPlace extends ByteRange {
  readonly pack: number
  /** Whether this run wrote it; what an earlier run wrote may not have been synced. */
  readonly isSafe: boolean
}

const PACK = /^pack-(\d{1,15})$/

/**
 * The images of an account, in packs. A pack holds them one after another: for each a line of JSON with its digest and its
 * size, its bytes, and a line feed. Images are only ever appended. All images that arrive while others are written share
 * the next write and sync. Each run of paysim begins a pack of its own, so a pack that a crash cut short is never continued.
 */
export class FileImages implements ImageStore {
  #places = new Map<string, KnownPlace>()
  /** The images that the next turn writes. */
  #next: { readonly images: Images; readonly stored: Promise<void> } | undefined
  /** Writes and removals follow one another. */
  #turn: Promise<unknown> = Promise.resolve()
  /** The pack that this run appends to, and where it ends. */
  #open: { readonly pack: number; readonly end: number } | undefined
  /** Resolves when the packs of earlier runs have been read. They are read when an image of theirs is wanted. */
  #earlier: Promise<void> | undefined

  constructor(
    private readonly directory: string,
    private readonly sync: boolean,
    private readonly beforeWrite: () => Promise<void> | undefined = () => undefined,
  ) {}

  async put(digest: string, pieces: readonly Buffer[]): Promise<void> {
    demandDigest(digest)
    this.#next ??= this.#startBatch()
    this.#next.images.set(digest, pieces)
    return this.#next.stored
  }

  #startBatch() {
    const images: Images = new Map()
    const stored = this.#inTurn(async () => {
      this.#next = undefined
      try {
        await this.#write(images)
      } catch (cause) {
        throw new UnavailableError('The image', cause)
      }
    })
    return { images, stored }
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(act)
    this.#turn = done.catch(() => {})
    return done
  }

  async #write(images: Images): Promise<void> {
    for (const digest of images.keys())
      if (this.#places.get(digest)?.isSafe && (await this.#readPlace(digest))) images.delete(digest)
    if (images.size === 0) return
    await this.beforeWrite()
    const { handle, pack, at } = await this.#openPack()
    try {
      const { pieces, places, end } = packed(images, at)
      await writeAllPieces(handle, pieces)
      if (this.sync) {
        await handle.datasync()
        if (at === 0) await syncDirectory(this.directory)
      }
      this.#open = { pack, end }
      for (const [digest, place] of places) this.#places.set(digest, { ...place, pack, isSafe: true })
    } catch (cause) {
      this.#open = undefined
      // What remains of the batch is harmless, but it takes space.
      if (at === 0) await removeFile(this.#pathOf(pack)).catch(() => {})
      else await handle.truncate(at).catch(() => {})
      throw cause
    } finally {
      await handle.close()
    }
  }

  /** The pack of this run, or a new one if there is none yet or something else changed it. */
  async #openPack(): Promise<{ handle: FileHandle; pack: number; at: number }> {
    if (!(await demandPrivateFolder(this.directory))) {
      await makePrivateFolder(this.directory)
      if (this.sync) await syncDirectory(dirname(this.directory))
    } else if (this.#open) {
      const { pack, end } = this.#open
      const handle = await openPrivate(this.#pathOf(pack), 'present').catch(unless('ENOENT'))
      if (handle && (await handle.stat()).size === end) return { handle, pack, at: end }
      await handle?.close()
    }
    for (let pack = 1 + Math.max(0, ...(await this.#packs())); ; pack++) {
      const handle = await openPrivate(this.#pathOf(pack), 'new').catch(unless('EEXIST'))
      if (handle) return { handle, pack, at: 0 }
    }
  }

  async get(digest: string): Promise<Buffer | undefined> {
    demandDigest(digest)
    const found = await this.#readPlace(digest)
    if (found) return found
    this.#earlier ??= this.#readEarlier(this.#places)
    await this.#earlier
    return this.#readPlace(digest)
  }

  async #readEarlier(places: Map<string, KnownPlace>): Promise<void> {
    try {
      for (const pack of await this.#packs())
        await this.#read(this.#pathOf(pack), async handle => {
          for await (const [digest, place] of imagesIn(handle))
            if (!places.has(digest)) places.set(digest, { ...place, pack, isSafe: false })
        })
    } catch (cause) {
      this.#earlier = undefined
      throw cause
    }
  }

  async #readPlace(digest: string): Promise<Buffer | undefined> {
    const place = this.#places.get(digest)
    return place && this.#read(this.#pathOf(place.pack), handle => readImage(handle, { digest, place }))
  }

  async #read<T>(path: string, read: (handle: FileHandle) => Promise<T>): Promise<T | undefined> {
    if (!(await demandPrivateFolder(this.directory))) return undefined
    try {
      return await useFile(path, 'read', read)
    } catch (cause) {
      // The file cannot be read now, but it may be whole.
      if (cause instanceof UnavailableError) throw cause
      return undefined
    }
  }

  clear(): Promise<void> {
    return this.#inTurn(async () => {
      await this.beforeWrite()
      this.#places = new Map()
      this.#open = undefined
      this.#earlier = undefined
      await rm(this.directory, { recursive: true, force: true })
    })
  }

  /** Its files, by name. */
  async names(): Promise<string[]> {
    if (!(await demandPrivateFolder(this.directory))) return []
    return (await readdir(this.directory)).filter(name => PACK.test(name))
  }

  /** The packs that are missing before the last one: each run numbers its pack after those that are there. */
  async missingPacks(): Promise<string[]> {
    const packs = new Set(await this.#packs())
    const last = Math.max(0, ...packs)
    return Array.from({ length: last }, (_, nth) => nth + 1)
      .filter(pack => !packs.has(pack))
      .map(pack => `pack-${pack}`)
  }

  /** The numbers of the packs, in order. */
  async #packs(): Promise<number[]> {
    if (!(await demandPrivateFolder(this.directory))) return []
    return (await readdir(this.directory))
      .flatMap(name => PACK.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b)
  }

  readonly #pathOf = (pack: number) => join(this.directory, `pack-${pack}`)
}

/** Where the bytes of an image are in its pack. */
interface ByteRange {
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
function packed(images: Iterable<readonly [string, readonly Buffer[]]>, at: number) {
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
async function* imagesIn(handle: FileHandle): AsyncGenerator<readonly [string, ByteRange]> {
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
async function readImage(
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
