import { lstat, readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { JOURNAL_VERSION } from '../../contract/control/journal.ts'
import { Checkpoints } from '../checkpoint/checkpoints.ts'
import { folderOf, type Header } from '../journal/journal-file.ts'
import { isHeader, type Numbered, openLine, readLines, sealLine } from '../journal/journal-format.ts'
import { markRemoved, type Segment, segmentName, segmentsIn } from '../journal/journal-segments.ts'
import { cutOff } from '../journal/replay.ts'
import {
  copyBytes,
  demandPrivateFolder,
  makePrivateFolder,
  replaceFile,
  syncDirectory,
  unless,
  useFile,
} from './private-files.ts'

/** What an account goes on with. */
export interface LossAccepted {
  /** Its last entry. */
  readonly last: number
  /** Where everything else is kept: files and folders. */
  readonly aside: readonly string[]
}

/** The lines of a file from its start up to the first that is missing or damaged. */
interface Whole {
  readonly seq: number
  /** Where the last of them ends, in bytes. */
  readonly end: number
  readonly size: number
}

/**
 * Makes an account's folder whole by giving up what is lost: every entry after the first one that is missing or damaged,
 * and that no checkpoint has. Nothing is deleted: what is given up is kept aside.
 */
export async function acceptLoss(
  folder: string,
  { seed, warn }: { readonly seed: string | undefined; readonly warn: (message: string) => void },
): Promise<LossAccepted> {
  await makePrivateFolder(folder)
  const path = join(folder, 'journal.jsonl')
  const found = await headerIn(path)
  const header = found ?? {
    v: JOURNAL_VERSION,
    seq: 0,
    ...(seed && { seed }),
    edition: await lastEdition(folder),
  }
  const past = folderOf(path, header)
  const segments = await segmentsIn(past)
  const checkpoint = await checkpointIn(past, warn)
  const aside = new Aside(folder)

  let last = checkpoint
  let isWhole = true
  for (const segment of segments) {
    const { path: file, from, to } = segment
    if (to <= checkpoint || to > (found?.after ?? Number.POSITIVE_INFINITY)) continue
    const lines: Whole = isWhole && from <= last + 1 ? await wholeLines(file, from - 1) : none
    const { seq, end } = lines
    last = Math.max(last, seq)
    isWhole = isWhole && seq === to
    if (isWhole) continue
    const { path: damaged } = await aside.take(file)
    if (seq >= from) await copyStart(damaged, join(past, segmentName(from, seq)), end)
  }
  const rest =
    isWhole && found && (found.after ?? 0) <= last ? await wholeLines(path, found.after ?? 0) : none
  if (rest.end > 0 && rest.seq >= checkpoint) {
    last = rest.seq
    if (rest.end < rest.size) await aside.cut(path, rest.end)
  } else {
    if (await isThere(path)) await aside.take(path)
    const { after: _, ...others } = header
    const first = last === 0 ? others : { ...others, after: last }
    await replaceFile(path, [sealLine(JSON.stringify(first))], handle => handle.close())
  }
  await endHistoryAtGap(past, (await headerIn(path))?.after ?? 0, aside)
  await syncDirectory(folder)
  return { last, aside: aside.names }
}

const none: Whole = { seq: 0, end: 0, size: 0 }

/** The first line of a journal; undefined if it cannot be read. */
async function headerIn(path: string): Promise<Header | undefined> {
  if (!(await isThere(path))) return undefined
  return useFile(path, 'read', async handle => {
    for await (const line of readLines(handle))
      try {
        return isHeader(line)
          ? openLine<Header>(line.text, 0)
          : openLine<Numbered>(line.text, 1) && { v: JOURNAL_VERSION, seq: 0 }
      } catch {
        return undefined
      }
    return undefined
  })
}

const isThere = async (path: string) => (await lstat(path).catch(unless('ENOENT'))) !== undefined

/** Of the folders of all editions, only the last one is not removed. */
async function lastEdition(folder: string): Promise<number> {
  const editions = (await readdir(folder)).flatMap(name => /^past-(\d+)$/.exec(name)?.[1] ?? [])
  return Math.max(1, ...editions.map(Number))
}

/** The last entry that the checkpoint has; 0 without one that can be read. */
async function checkpointIn(folder: string, warn: (message: string) => void): Promise<number> {
  if (!(await demandPrivateFolder(folder))) return 0
  const checkpoints = await Checkpoints.open({
    folder: () => folder,
    every: Number.POSITIVE_INFINITY,
    hashSeed: 0,
    durable: () => undefined,
    onWritten: async () => {},
    warn,
  })
  const { seq } = checkpoints
  await checkpoints.close()
  return seq
}

async function wholeLines(path: string, after: number): Promise<Whole> {
  return useFile(path, 'read', async handle => {
    const { size } = await handle.stat()
    let seq = after
    let end = 0
    for await (const line of readLines(handle)) {
      const next = isHeader(line) ? 0 : seq + 1
      try {
        openLine<Numbered>(line.text, next)
      } catch {
        break
      }
      seq = Math.max(seq, next)
      end = Math.min(size, line.offset + line.length + 1)
    }
    return { seq, end, size }
  })
}

/** A segment with only the first bytes of another. */
async function copyStart(from: string, to: string, end: number): Promise<void> {
  await useFile(from, 'read', source => useFile(to, 'fresh', target => copyBytes(source, target, 0, end)))
}

/** The history that a checkpoint stands for may have gaps. Then it begins after the last gap. */
async function endHistoryAtGap(past: string, end: number, aside: Aside): Promise<void> {
  const segments = await segmentsIn(past)
  let first = end + 1
  const kept = new Set<Segment>()
  for (const segment of [...segments].reverse())
    if (segment.to === first - 1) {
      first = segment.from
      kept.add(segment)
    }
  if (first === 1) return
  for (const segment of segments) if (!kept.has(segment)) await aside.take(segment.path)
  await markRemoved(past, first - 1)
}

/** A folder for what is given up, made when it is needed. */
class Aside {
  readonly names: string[] = []
  #folder: string | undefined

  constructor(private readonly account: string) {}

  async take(path: string): Promise<{ readonly path: string }> {
    const to = join(await this.#made(), basename(path))
    await rename(path, to)
    return { path: to }
  }

  async cut(path: string, end: number): Promise<void> {
    this.names.push(await useFile(path, 'present', handle => cutOff(path, handle, end)))
  }

  async #made(): Promise<string> {
    for (let nth = 1; this.#folder === undefined; nth++) {
      const folder = join(this.account, `lost-${nth}`)
      if (await isThere(folder)) continue
      await makePrivateFolder(folder)
      this.#folder = folder
      this.names.push(folder)
    }
    return this.#folder
  }
}
