import type { FileHandle } from 'node:fs/promises'

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
