import { type FileHandle, link, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { RECORD_MEMBERS } from '../../domain/events.ts'
import { hashOf } from '../checkpoint/layer-index.ts'
import {
  codeOf,
  demandPrivateFolder,
  makePrivateFolder,
  openPrivate,
  removeFile,
  syncDirectory,
} from '../store/private-files.ts'
import { DamagedError, LossError } from '../store/store-errors.ts'
import type { Reading } from '../time/real-time.ts'
import { isHeader, type Line, readLines } from './journal-format.ts'

/** How long closed segments are kept after the last write to them. */
export interface HistoryKept {
  readonly forMs: number
  readonly wall: Reading
}

/** A closed part of a journal: the entries of one range of numbers. */
export interface Segment {
  readonly path: string
  readonly from: number
  readonly to: number
}

const NAME = /^journal-(\d{12,})-(\d{12,})\.jsonl$/
/** An empty file says that the entries up to this one were removed because they were old. Otherwise they are lost. */
const REMOVED = /^removed-(\d{12,})$/
export const entriesMissing = (folder: string, from: number, to: number) =>
  new LossError(
    folder,
    `the journal's entries ${from} to ${to} are missing, and no checkpoint that can be read has them`,
  )

export const missing = (where: string, from: number, to: number) =>
  new DamagedError(where, `the journal's entries ${from} to ${to} are missing`)

const numbered = (seq: number) => String(seq).padStart(12, '0')
export const segmentName = (from: number, to: number) => `journal-${numbered(from)}-${numbered(to)}.jsonl`

const namesIn = async (folder: string) => ((await demandPrivateFolder(folder)) ? readdir(folder) : [])

/** The segments of a folder, the oldest first. */
export async function segmentsIn(folder: string): Promise<Segment[]> {
  const found = (await namesIn(folder)).flatMap(name => {
    const range = NAME.exec(name)
    return range ? [{ path: join(folder, name), from: Number(range[1]), to: Number(range[2]) }] : []
  })
  return found.sort((a, b) => a.from - b.from)
}

const markOf = (folder: string, to: number) => join(folder, `removed-${numbered(to)}`)

/** Notes that the entries up to this one were removed. */
export async function markRemoved(folder: string, to: number): Promise<void> {
  await (await openPrivate(markOf(folder, to), 'append')).close()
  await syncDirectory(folder)
}

export const openSegment = ({ path, from, to }: Segment): Promise<FileHandle> =>
  openPrivate(path, 'read').catch(cause => {
    throw codeOf(cause) === 'ENOENT' ? missing(path, from, to) : cause
  })

/** The closed parts of a journal, in a folder of their own: the history that nobody reads at a start. */
export class Segments {
  private constructor(
    private readonly folder: string,
    private readonly segments: Segment[],
    /** Segments that start after the open part: a cut was interrupted, and the open part still has their entries. */
    private readonly unfinished: readonly Segment[],
    /** The last entry before the open part. */
    private last: number,
    /** The last entry that was removed because it was old. */
    private removed: number,
  ) {}

  static async open(folder: string, openPartAfter: number): Promise<Segments> {
    const names = await namesIn(folder)
    const found = await segmentsIn(folder)
    const segments = found.filter(({ from }) => from <= openPartAfter)
    const removed = Math.max(0, ...names.map(name => Number(REMOVED.exec(name)?.[1] ?? 0)))
    const unfinished = found.filter(({ from }) => from > openPartAfter)
    return new Segments(folder, segments, unfinished, openPartAfter, removed)
  }

  /** Removes the unfinished segments, once it is certain that the open part has their entries. */
  async takeBackUnfinished(openPart: string, last: number, readOnly = false): Promise<void> {
    for (const { path, to } of this.unfinished) {
      if (to > last)
        throw new LossError(openPart, `it ends at entry ${last}, but ${path} has the entries up to ${to}`)
      if (!readOnly) await rm(path)
    }
  }

  /** The names of its files. */
  get names(): readonly string[] {
    return this.segments.map(({ path }) => basename(path))
  }

  /** What is missing of the history that was not removed, although a checkpoint may have it. */
  get gaps(): { readonly from: number; readonly to: number }[] {
    const gaps: { from: number; to: number }[] = []
    let last = this.removed
    for (const { from, to } of this.segments) {
      if (from > last + 1) gaps.push({ from: last + 1, to: from - 1 })
      last = Math.max(last, to)
    }
    if (last < this.last) gaps.push({ from: last + 1, to: this.last })
    return gaps
  }

  /** The number of the oldest entry that was not removed. */
  get first(): number {
    return Math.min(this.removed + 1, this.segments[0]?.from ?? Number.POSITIVE_INFINITY)
  }

  /** The segments with the entries after a known one, up to the open part. Throws if some are missing. */
  demandWhole(known: number, openPartAfter: number): readonly Segment[] {
    const needed = this.segments.filter(({ to }) => to > known)
    let seq = Math.min(known, openPartAfter)
    for (const { from, to } of needed) {
      if (from > seq + 1) throw entriesMissing(this.folder, seq + 1, from - 1)
      seq = to
    }
    if (openPartAfter > seq) throw entriesMissing(this.folder, seq + 1, openPartAfter)
    return needed
  }

  /** Removes the oldest segment first, so that no gap appears. Waits for those who are reading. */
  async removeOld(kept: HistoryKept, covered: number, readersDone: () => Promise<unknown>): Promise<void> {
    await demandPrivateFolder(this.folder)
    for (let [oldest] = this.segments; oldest && oldest.to <= covered; [oldest] = this.segments) {
      const { path, to } = oldest
      const { mtimeMs } = await stat(path)
      if (kept.wall() - mtimeMs < kept.forMs) return
      this.segments.shift()
      await readersDone()
      try {
        await this.#noteRemoval(to)
        await removeFile(path)
      } catch {
        this.segments.unshift(oldest)
        return
      }
    }
  }

  /** Called before a removal, so that the removed entries never look lost. */
  async #noteRemoval(to: number): Promise<void> {
    await markRemoved(this.folder, to)
    const before = this.removed
    this.removed = to
    if (before !== to) await removeFile(markOf(this.folder, before))
  }

  /** Gives the open part a second name here, as a segment of these entries. Returns a function that undoes this. */
  async add(openPart: string, from: number, to: number): Promise<() => Promise<void>> {
    await makePrivateFolder(this.folder)
    const path = join(this.folder, segmentName(from, to))
    await removeFile(path)
    await link(openPart, path)
    const undo = async () => {
      await removeFile(path)
    }
    try {
      await syncDirectory(this.folder)
    } catch (cause) {
      await undo()
      throw cause
    }
    const segment = { path, from, to }
    this.segments.push(segment)
    this.last = to
    return async () => {
      this.segments.splice(this.segments.indexOf(segment), 1)
      this.last = from - 1
      await undo()
    }
  }

  /** All lines, as of the moment of this call. */
  lines(): AsyncGenerator<Line> {
    return this.#linesIn(this.connected())
  }

  /** All segments, as of the moment of this call. The iteration throws where one is missing. */
  connected(): Iterable<Segment> {
    return this.#connected([...this.segments], this.first, this.last)
  }

  *#connected(segments: readonly Segment[], first: number, end: number): Generator<Segment> {
    let last = first - 1
    for (const segment of segments) {
      if (segment.from !== last + 1) throw missing(this.folder, last + 1, segment.from - 1)
      last = segment.to
      yield segment
    }
    if (last < end) throw missing(this.folder, last + 1, end)
  }

  async *#linesIn(segments: Iterable<Segment>): AsyncGenerator<Line> {
    for (const segment of segments) yield* this.#linesOf(segment)
  }

  async *#linesOf({ path, from, to }: Segment): AsyncGenerator<Line> {
    const handle = await openSegment({ path, from, to })
    try {
      let next = from
      for await (const line of readLines(handle)) {
        if (!isHeader(line)) next++
        yield line
      }
      if (next <= to) throw missing(path, next, to)
    } finally {
      await handle.close()
    }
  }
}

/** A few hundred entries. */
const BLOCK_BYTES = 128 * 1024
/** About twenty for each id in a block, so that one in some hundred blocks is read in vain. */
const BITS = 2 ** 13

/** The ids of records in a line, and some other texts: it need not be parsed to find them. */
const NAMED = new RegExp(`"(?:${RECORD_MEMBERS.join('|')})":"((?:[^"\\\\]|\\\\.)*)"`, 'g')

/** An id as it is in a line. */
const written = (id: string) => JSON.stringify(id).slice(1, -1)

/** Lines that follow each other, with a Bloom filter of the ids in them. */
interface Block {
  readonly start: number
  end: number
  readonly bits: Uint32Array
}

/**
 * Says which parts of a journal's file may name a record. It is made when somebody asks first, and takes in what was added
 * when somebody asks again, so that nothing is spent on it while entries are written. It takes one byte for each 128 bytes of
 * the file.
 */
export class HistoryIndex {
  readonly #blocks: Block[] = []
  #lines = 0
  #entries = 0
  #end = 0
  #extending: Promise<void> = Promise.resolve()

  /** Takes in the lines up to here, after a check of each. Returns how many entries it has then. */
  async extend(handle: FileHandle, end: number, check: (line: Line) => void): Promise<number> {
    const extending = this.#extending.then(() => this.#extend(handle, end, check))
    this.#extending = extending.catch(() => {})
    await extending
    return this.#entries
  }

  async #extend(handle: FileHandle, end: number, check: (line: Line) => void): Promise<void> {
    for await (const line of readLines(handle, end, this.#end)) {
      const numbered = { ...line, number: this.#lines + 1 }
      if (!isHeader(numbered)) {
        check(numbered)
        this.#note(numbered)
        this.#entries += 1
      }
      this.#lines += 1
      this.#end = line.offset + line.length + 1
    }
  }

  #note({ text, offset, length }: Line): void {
    let block = this.#blocks.at(-1)
    if (!block || block.end - block.start >= BLOCK_BYTES) {
      block = { start: offset, end: offset, bits: new Uint32Array(BITS / 32) }
      this.#blocks.push(block)
    }
    block.end = offset + length + 1
    for (let named = NAMED.exec(text); named; named = NAMED.exec(text))
      for (const bit of bitsOf(named[1] ?? ''))
        block.bits[bit >> 5] = (block.bits[bit >> 5] ?? 0) | (1 << (bit & 31))
  }

  /** The lines with this id, and perhaps some more. */
  async *naming(handle: FileHandle, id: string): AsyncGenerator<Line> {
    const text = written(id)
    const bits = bitsOf(text)
    for (const { start, end, bits: own } of [...this.#blocks]) {
      if (!bits.every(bit => ((own[bit >> 5] ?? 0) & (1 << (bit & 31))) !== 0)) continue
      for await (const line of readLines(handle, end, start)) if (line.text.includes(text)) yield line
    }
  }
}

function bitsOf(id: string): number[] {
  const hash = hashOf(id, 0)
  const [low, high] = [hash >>> 0, Math.floor(hash / 2 ** 32)]
  return [low, low + high, low + 2 * high, low + 3 * high].map(sum => sum & (BITS - 1))
}
