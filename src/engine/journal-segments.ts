import { link, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, makePrivateFolder, openPrivate, syncDirectory } from './private-files.ts'
import { type Line, readLines } from './read-lines.ts'
import { StartError } from './start-error.ts'

/** A closed part of a journal: the entries of one range of numbers. */
export interface Segment {
  readonly path: string
  readonly from: number
  readonly to: number
}

const NAME = /^journal-(\d{12,})-(\d{12,})\.jsonl$/
export const entriesMissing = (folder: string, from: number, to: number) =>
  new StartError(
    `${folder}: the journal's entries ${from} to ${to} are missing. Nothing was changed. Restore the folder from a copy`,
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
    const names = await readdir(folder).catch(cause => {
      if (codeOf(cause) === 'ENOENT') return []
      throw cause
    })
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

  after(seq: number): readonly Segment[] {
    return this.held.filter(({ to }) => to > seq)
  }

  /** Gives the open part a second name here, as a segment of these entries. Returns how to take that back. */
  async add(openPart: string, from: number, to: number): Promise<() => Promise<void>> {
    await makePrivateFolder(this.folder)
    const path = join(this.folder, `journal-${numbered(from)}-${numbered(to)}.jsonl`)
    await rm(path, { force: true })
    await link(openPart, path)
    const undo = async () => {
      await rm(path, { force: true })
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
    for (const { path } of this.held) {
      const handle = await openPrivate(path, 'read')
      try {
        yield* readLines(handle)
      } finally {
        await handle.close()
      }
    }
  }
}
