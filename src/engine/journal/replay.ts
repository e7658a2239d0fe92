import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { copyBytes, openPrivate, syncDirectory, unless, useFile, writeAll } from '../store/private-files.ts'
import { LossError, messageOf, StartError } from '../store/store-errors.ts'
import { headerOf } from './journal-file.ts'
import { endOf, isHeader, NewerJournalError, type Numbered, openLine, readLines } from './journal-format.ts'

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
  /** The file is as a clean stop left it, and perhaps longer. */
  readonly isSealed?: boolean
  /** Changes nothing. */
  readonly readOnly?: boolean | undefined
}

/**
 * Reads numbered lines from the first one, which may have the number 0. An incomplete last line is moved to a file of
 * its own; damage anywhere else throws.
 */
export async function replay<T extends Numbered>(
  path: string,
  handle: FileHandle,
  { after = 0, known = 0, closed = false, end: limit, onEntry, warn, isSealed, readOnly }: Reading<T>,
): Promise<{ seq: number; end: number }> {
  let seq = after
  let end = 0
  for await (const line of readLines(handle, limit)) {
    const how = line.terminated ? 'whole' : closed ? 'damaged' : endOf(line.text)
    if (how === 'torn') {
      const bytes = `${path}: the last line (${line.number}) is incomplete`
      const certain = isSealed
        ? 'everything that the last stop left is there'
        : 'everything before it is whole; whether more was confirmed is not known, because paysim was not stopped cleanly'
      if (readOnly) warn(`${bytes}; ${certain}`)
      else
        warn(`${bytes}: its ${line.length} bytes are kept in ${await cutOff(path, handle, end)}; ${certain}`)
      break
    }
    try {
      if (how === 'damaged') throw new Error('its end is not that of a journal line')
      const isFirst = isHeader(line)
      if (!isFirst) seq += 1
      const working = isFirst || seq > known ? onEntry(openLine<T>(line.text, isFirst ? 0 : seq)) : undefined
      if (working) await working
    } catch (cause) {
      if (cause instanceof NewerJournalError)
        throw new StartError(
          `${path}:${line.number}: a newer paysim wrote this line: ${cause.message}. Nothing was changed. ` +
            'Start the version that wrote it, or use another --data directory',
        )
      if (cause instanceof StartError) throw cause
      throw new LossError(`${path}:${line.number}`, `this journal line is damaged: ${messageOf(cause)}`)
    }
    if (!line.terminated && !readOnly) await writeAll(handle, Buffer.from('\n'))
    end = line.offset + line.length + 1
  }
  return { seq, end }
}

/** The first line of a journal that is damaged. The end of the file may be cut; nothing is changed. */
export async function firstDamage(path: string): Promise<LossError | undefined> {
  try {
    await useFile(path, 'read', async handle => {
      const { after = 0 } = await headerOf(handle)
      await replay(path, handle, { after, onEntry: () => {}, warn: () => {}, readOnly: true })
    })
    return undefined
  } catch (cause) {
    if (cause instanceof LossError) return cause
    throw cause
  }
}

/** Ends the file there. What came after it is kept in another file, whose name is returned. */
export async function cutOff(path: string, handle: FileHandle, end: number): Promise<string> {
  const { size } = await handle.stat()
  const { aside, kept } = await asideOf(path, end)
  try {
    await copyBytes(handle, kept, end, size)
  } finally {
    await kept.close()
  }
  await syncDirectory(dirname(path))
  await handle.truncate(end)
  return aside
}

/** A new file beside this one. */
async function asideOf(path: string, end: number): Promise<{ aside: string; kept: FileHandle }> {
  for (let nth = 1; ; nth++) {
    const aside = `${path}.cut-${end}${nth === 1 ? '' : `-${nth}`}`
    const kept = await openPrivate(aside, 'new').catch(unless('EEXIST'))
    if (kept) return { aside, kept }
  }
}
