import { link, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DamagedError } from './damaged.ts'
import {
  demandPrivateFolder,
  makePrivateFolder,
  openPrivate,
  removeFile,
  syncDirectory,
} from './private-files.ts'
import { type Line, readLines } from './read-lines.ts'
import type { Reading } from './real-time.ts'
import { StartError } from './start-error.ts'

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
export const entriesMissing = (folder: string, from: number, to: number) =>
  new StartError(
    `${folder}: the journal's entries ${from} to ${to} are missing, and no checkpoint that can be read has them. ` +
      'Nothing was changed. Restore the folder from a copy',
  )

const numbered = (seq: number) => String(seq).padStart(12, '0')

/** The closed parts of a journal, in a folder of their own: the history that nobody reads at a start. */
export class Segments {
  private constructor(
    private readonly folder: string,
    private readonly held: Segment[],
    /** Those that start behind the open part: a cut was interrupted, and the open part still has their entries. */
    private readonly unfinished: readonly Segment[],
  ) {}

  static async open(folder: string, openPartAfter: number): Promise<Segments> {
    const names = (await demandPrivateFolder(folder)) ? await readdir(folder) : []
    const found = names.flatMap(name => {
      const range = NAME.exec(name)
      return range ? [{ path: join(folder, name), from: Number(range[1]), to: Number(range[2]) }] : []
    })
    const held = found.filter(({ from }) => from <= openPartAfter).sort((a, b) => a.from - b.from)
    return new Segments(
      folder,
      held,
      found.filter(({ from }) => from > openPartAfter),
    )
  }

  /** Removes them only if the open part is seen to have their entries. */
  async takeBackUnfinished(openPart: string, last: number): Promise<void> {
    for (const { path, to } of this.unfinished) {
      if (to > last)
        throw new StartError(
          `${openPart} ends at entry ${last}, but ${path} has the entries up to ${to}. ` +
            'Nothing was changed. Restore the first file from a copy',
        )
      await rm(path)
    }
  }

  /** The number of the first entry in the oldest segment. */
  get first(): number | undefined {
    return this.held[0]?.from
  }

  /** The segments with the entries after a known one, up to the open part. Throws if some are missing. */
  demandWhole(known: number, openPartAfter: number): readonly Segment[] {
    const needed = this.held.filter(({ to }) => to > known)
    let seq = Math.min(known, openPartAfter)
    for (const { from, to } of needed) {
      if (from > seq + 1) throw entriesMissing(this.folder, seq + 1, from - 1)
      seq = to
    }
    if (openPartAfter > seq) throw entriesMissing(this.folder, seq + 1, openPartAfter)
    return needed
  }

  /** Removes the oldest first, so that what is left has no gap. Who reads them may finish before. */
  async removeOld(kept: HistoryKept, covered: number, readersDone: () => Promise<unknown>): Promise<void> {
    await demandPrivateFolder(this.folder)
    for (let [oldest] = this.held; oldest && oldest.to <= covered; [oldest] = this.held) {
      const { path } = oldest
      const { mtimeMs } = await stat(path)
      if (kept.wall() - mtimeMs < kept.forMs) return
      this.held.shift()
      await readersDone()
      try {
        await removeFile(path)
      } catch {
        this.held.unshift(oldest)
        return
      }
    }
  }

  /** Gives the open part a second name here, as a segment of these entries. Returns how to take that back. */
  async add(openPart: string, from: number, to: number): Promise<() => Promise<void>> {
    await makePrivateFolder(this.folder)
    const path = join(this.folder, `journal-${numbered(from)}-${numbered(to)}.jsonl`)
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
    this.held.push(segment)
    return async () => {
      this.held.splice(this.held.indexOf(segment), 1)
      await undo()
    }
  }

  async *lines(): AsyncGenerator<Line> {
    let last: number | undefined
    for (const { path, from, to } of [...this.held]) {
      if (last !== undefined && from !== last + 1)
        throw new DamagedError(this.folder, `the journal's entries ${last + 1} to ${from - 1} are missing`)
      last = to
      const handle = await openPrivate(path, 'read')
      try {
        yield* readLines(handle)
      } finally {
        await handle.close()
      }
    }
  }
}
