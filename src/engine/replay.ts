import type { FileHandle } from 'node:fs/promises'
import { messageOf } from './damaged-error.ts'
import { endOf, isHeader, NewerJournalError, type Numbered, openLine } from './journal-format.ts'
import { writeAll } from './private-files.ts'
import { readLines } from './read-lines.ts'
import { StartError } from './start-error.ts'

interface Reading<T> {
  /** The number before that of the first entry. */
  readonly after?: number
  /** Entries up to this number are passed over. */
  readonly known?: number
  /** The file no longer grows, so its last line is complete. */
  readonly closed?: boolean
  /** In bytes: what comes after it was never safe. */
  readonly end?: number
  /** If it returns a promise, reading waits until that resolves. */
  readonly onEntry: (entry: T) => void | Promise<void>
  readonly warn: (message: string) => void
}

/**
 * Reads numbered lines from the first one, which may have the number 0. An incomplete last line is removed; damage
 * anywhere else throws.
 */
export async function replay<T extends Numbered>(
  path: string,
  handle: FileHandle,
  { after = 0, known = 0, closed = false, end: limit, onEntry, warn }: Reading<T>,
): Promise<{ seq: number; end: number }> {
  let seq = after
  let end = 0
  for await (const line of readLines(handle, limit)) {
    const how = line.terminated ? 'whole' : closed ? 'damaged' : endOf(line.text)
    if (how === 'torn') {
      warn(
        `${path}: the last line (${line.number}) is incomplete: its ${line.length} bytes are removed; nothing that was confirmed is lost`,
      )
      await handle.truncate(end)
      break
    }
    try {
      if (how === 'damaged') throw new Error('its end is not that of a journal line')
      const isFirst = isHeader(line)
      if (!isFirst) seq += 1
      const held = isFirst || seq > known ? onEntry(openLine<T>(line.text, isFirst ? 0 : seq)) : undefined
      if (held) await held
    } catch (cause) {
      if (cause instanceof NewerJournalError)
        throw new StartError(
          `${path}:${line.number}: a newer paysim wrote this line: ${cause.message}. Nothing was changed. ` +
            'Start the version that wrote it, or use another --data directory',
        )
      const good = line.number - 1
      throw new StartError(
        `${path}:${line.number}: this journal line is damaged: ${messageOf(cause)}. Nothing was changed. ` +
          `Restore the file from a backup${good > 0 ? `, or keep the ${good} good lines before it: head -n ${good}` : ''}`,
      )
    }
    if (!line.terminated) await writeAll(handle, Buffer.from('\n'))
    end = line.offset + line.length + 1
  }
  return { seq, end }
}
