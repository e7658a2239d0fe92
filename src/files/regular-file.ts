import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Opens files that somebody else named, which may be anything, such as a pipe, a device or a link. */

const KIBIBYTE = 1024
export const MEBIBYTE = KIBIBYTE * KIBIBYTE

/** Opening a pipe would otherwise wait for a writer. Windows has no such pipes. */
const AT_ONCE = constants.O_NONBLOCK ?? 0
/** Flags for paysim's own files, which nobody may replace by a link. Windows has no such links. */
export const OWN_FILE = (constants.O_NOFOLLOW ?? 0) | AT_ONCE

/** A file that must not be used. The message completes a sentence that begins with the file's name. */
export class FileRefusedError extends Error {}

interface Terms {
  /** In bytes. */
  readonly most?: number
  /** Whether it may be a pipe that the shell opened: then somebody writes to it. */
  readonly orPipe?: boolean
  /** Whether it is a file of our own, and so no link. */
  readonly own?: boolean
}

export function demandRegular(
  file: Pick<Stats, 'isFile' | 'isFIFO' | 'size'>,
  { most = Number.POSITIVE_INFINITY, orPipe = false }: Terms,
): void {
  if (!file.isFile() && !(orPipe && file.isFIFO())) throw new FileRefusedError('is not a regular file')
  if (file.size > most) throw tooLarge(most)
}

const tooLarge = (most: number) =>
  new FileRefusedError(`is over ${most < MEBIBYTE ? `${most / KIBIBYTE} KiB` : `${most / MEBIBYTE} MiB`}`)

interface OpenFile {
  readonly file: FileHandle
  readonly stats: Stats
}

/** Opens a file for reading. Checks the opened file, not its name. */
export async function openRegular(path: string, terms: Terms = {}): Promise<OpenFile> {
  const flags = terms.own ? OWN_FILE : terms.orPipe ? 0 : AT_ONCE
  const file = await open(path, constants.O_RDONLY | flags)
  try {
    const stats = await file.stat()
    demandRegular(stats, terms)
    return { file, stats }
  } catch (cause) {
    await file.close()
    throw cause
  }
}

/** The bytes of a file. `check` can refuse the file after it was opened. */
export async function readRegular(
  path: string,
  {
    check,
    ...terms
  }: Terms & { readonly most: number; readonly check?: (stats: Stats) => Promise<void> | void },
): Promise<Buffer> {
  const { file, stats } = await openRegular(path, terms)
  try {
    await check?.(stats)
    const chunks: Buffer[] = []
    let size = 0
    // The file may grow while it is read.
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      chunks.push(chunk)
      size += chunk.length
      if (size > terms.most) throw tooLarge(terms.most)
    }
    return Buffer.concat(chunks)
  } finally {
    await file.close()
  }
}
