import type { FileHandle } from 'node:fs/promises'
import { endOf, isHeader, NewerJournalError, type Numbered, openLine } from './journal-format.ts'
import { writeAll } from './private-files.ts'
import { readLines } from './read-lines.ts'
import { StartError } from './start-error.ts'

interface Listeners<T> {
  readonly onEntry: (entry: T) => void
  readonly onTorn: (message: string) => void
}

/**
 * Reads numbered lines from the first one, which may have the number 0. An incomplete last line is removed; damage
 * anywhere else throws.
 */
export async function replay<T extends Numbered>(
  path: string,
  handle: FileHandle,
  { onEntry, onTorn }: Listeners<T>,
): Promise<{ seq: number; end: number }> {
  let seq = 0
  let end = 0
  for await (const line of readLines(handle)) {
    const how = line.terminated ? 'whole' : endOf(line.text)
    if (how === 'torn') {
      onTorn(
        `${path}: the last line (${line.number}) is incomplete: its ${line.length} bytes are removed; nothing that was confirmed is lost`,
      )
      await handle.truncate(end)
      break
    }
    try {
      if (how === 'damaged') throw new Error('there is something between its checksum and its end')
      const next = isHeader(line) ? 0 : seq + 1
      onEntry(openLine<T>(line.text, next))
      seq = next
    } catch (cause) {
      if (cause instanceof NewerJournalError)
        throw new StartError(
          `${path}:${line.number}: a newer paysim wrote this line: ${cause.message}. Nothing was changed. ` +
            'Start the paysim that wrote it, or take another directory with --data',
        )
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new StartError(
        `${path}:${line.number}: this journal line is damaged: ${why}. Nothing was changed. ` +
          `Restore the file from a copy, or keep the ${line.number - 1} good lines before it: head -n ${line.number - 1}`,
      )
    }
    if (!line.terminated) await writeAll(handle, Buffer.from('\n'))
    end = line.offset + line.length + 1
  }
  return { seq, end }
}
