import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { JOURNAL_VERSION } from '../../contract/control/journal.ts'
import type { Entry } from '../../domain/events.ts'

/** The members that every line has: the version of its format, and its number. */
export interface Numbered {
  readonly v: typeof JOURNAL_VERSION
  readonly seq: number
}

/** A journal that a newer paysim wrote: it is valid, but this version cannot read it. */
export class NewerJournalError extends Error {}

let latest: { readonly entry: Entry; readonly text: string } | undefined

/** An entry as JSON. The latest one is kept, because the listeners of an entry follow the journal at once. */
export function entryText(entry: Entry): string {
  if (entry !== latest?.entry) latest = { entry, text: JSON.stringify(entry) }
  return latest.text
}

/** The entry as a sealed line. */
export const writeLine = (entry: Entry) => sealLine(entryText(entry))

/** Each line has its own checksum, so that damage is found where it is. */
export function sealLine(json: string): string {
  const content = json.slice(0, -1)
  return `${content},"crc":"${checksum(content)}"}\n`
}

const TAIL = /,"crc":"([0-9a-f]{8})"\}$/

/** The content of a sealed line. Throws if the line is damaged, and says how. */
export function openSealed<T>(line: string): T {
  demandSeal(line)
  return contentOf<T>(line)
}

/** Parsed without its tail, because a copy without one of its members would take a quarter as long again. */
const contentOf = <T>(line: string): T => JSON.parse(`${line.slice(0, line.lastIndexOf(',"crc":'))}}`)

/** Checks a line without reading its content. Throws if it is damaged, and says how. */
export function demandSeal(line: string): void {
  const tail = TAIL.exec(line)
  if (!tail) throw new Error('it does not end like a journal line')
  if (checksum(line.slice(0, tail.index)) !== tail[1]) throw new Error('its checksum does not match')
}

/** The content of a journal line. Throws if the line is damaged, and says how. */
export function openLine<T extends Numbered>(line: string, expectedSeq: number): T {
  demandSeal(line)
  const content = readLine<T>(line)
  if (content.seq !== expectedSeq)
    throw new Error(`its number is ${content.seq}, but ${expectedSeq} was expected`)
  return content
}

/** The content of a line that was checked before. There has been one version of its format so far. */
export function readLine<T extends Numbered = Entry>(line: string): T {
  const content = contentOf<T>(line)
  const v: unknown = content.v
  if (v === JOURNAL_VERSION) return content
  if (typeof v === 'number' && v > JOURNAL_VERSION)
    throw new NewerJournalError(
      `its version is ${v}, and this paysim reads journals up to version ${JOURNAL_VERSION}`,
    )
  throw new Error(`its version is ${String(v)}, which no version of paysim writes`)
}

/** The JSON of an entry, from a line of this version. It need not be parsed and written again. */
export const entryTextOf = (line: string): string => `${line.slice(0, line.lastIndexOf(',"crc":'))}}`

/** The first line may describe the whole file; it is not an entry. */
export const isHeader = (line: { readonly number: number; readonly text: string }) =>
  line.number === 1 && /^\{"v":\d+,"seq":0,/.test(line.text)

/** The state of a last line without a line feed: complete, incomplete, or damaged. */
export function endOf(line: string): 'whole' | 'torn' | 'damaged' {
  if (TAIL.test(line)) return 'whole'
  return /,"crc":"[0-9a-f]{8}"\}/.test(line) ? 'damaged' : 'torn'
}

/** Each byte as two digits. To write a large number with another base takes four times as long. */
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function checksum(text: string): string {
  const sum = crc32(text)
  const digits = (shift: number) => DIGITS[(sum >>> shift) & 0xff]
  return `${digits(24)}${digits(16)}${digits(8)}${digits(0)}`
}

export interface Line {
  readonly number: number
  readonly text: string
  readonly offset: number
  /** In bytes, without the line feed. */
  readonly length: number
  readonly terminated: boolean
}

/** Many files are short, and a large buffer costs more than the reading of one. */
const FIRST_CHUNK = 16 * 1024
const CHUNK = 1024 * 1024
const LINE_FEED = 0x0a

/**
 * The lines of a file with their positions, from the start of one of them; they are numbered from there. Only one chunk
 * and one line are in memory at a time.
 */
export async function* readLines(
  handle: FileHandle,
  end = Number.POSITIVE_INFINITY,
  start = 0,
): AsyncGenerator<Line> {
  let rest = Buffer.alloc(0)
  let position = start
  let lineOffset = start
  let number = 1
  while (position < end) {
    const most = Math.min(position === 0 ? FIRST_CHUNK : CHUNK, end - position)
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(most), 0, most, position)
    if (bytesRead === 0) break
    position += bytesRead
    const chunk = buffer.subarray(0, bytesRead)
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let from = 0
    for (let feed = bytes.indexOf(LINE_FEED); feed !== -1; feed = bytes.indexOf(LINE_FEED, from)) {
      const length = feed - from
      yield {
        number: number++,
        text: bytes.toString('utf8', from, feed),
        offset: lineOffset,
        length,
        terminated: true,
      }
      lineOffset += length + 1
      from = feed + 1
    }
    rest = bytes.subarray(from)
  }
  if (rest.length > 0)
    yield { number, text: rest.toString(), offset: lineOffset, length: rest.length, terminated: false }
}
