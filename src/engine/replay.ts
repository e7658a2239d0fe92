import type { FileHandle } from 'node:fs/promises'
import type { Entry } from '../domain/events.ts'
import { readLine } from './journal.ts'
import { readLines } from './read-lines.ts'
import { StartFault } from './start-fault.ts'

interface Listeners {
  readonly onEntry: (entry: Entry) => void
  readonly onTorn: (message: string) => void
}

/** Reads a journal from its start. A torn last line is cut off; damage before it stops everything. */
export async function replay(
  path: string,
  handle: FileHandle,
  { onEntry, onTorn }: Listeners,
): Promise<{ seq: number; end: number }> {
  let seq = 0
  let end = 0
  for await (const line of readLines(handle)) {
    if (!line.terminated) {
      onTorn(
        `${path}: the last line (${line.number}) is torn: its ${line.length} bytes are cut off; nothing answered is lost`,
      )
      await handle.truncate(end)
      break
    }
    try {
      onEntry(readLine(line.text, seq + 1))
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new StartFault(
        `${path}:${line.number}: this journal line is damaged: ${why}. Nothing was changed. ` +
          `Put back a copy of the file, or keep the ${line.number - 1} good lines before it: head -n ${line.number - 1}`,
      )
    }
    seq += 1
    end = line.offset + line.length + 1
  }
  return { seq, end }
}
