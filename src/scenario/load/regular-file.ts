import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

const KIBIBYTE = 1024
export const MEBIBYTE = KIBIBYTE * KIBIBYTE

/** A file that may not be used. The message comes after the file's name. */
export class FileRefusedError extends Error {}

interface Reading {
  /** In bytes. */
  readonly most: number
  /** Whether it may be a pipe that the shell opened: then somebody writes to it. */
  readonly orPipe?: boolean
  readonly check?: (opened: FileHandle) => Promise<void>
}

export function demandRegular(
  file: Pick<Stats, 'isFile' | 'isFIFO' | 'size'>,
  { most, orPipe = false }: Reading,
): void {
  if (!file.isFile() && !(orPipe && file.isFIFO())) throw new FileRefusedError('is not a regular file')
  if (file.size > most) throw tooLarge(most)
}

const tooLarge = (most: number) =>
  new FileRefusedError(`is over ${most < MEBIBYTE ? `${most / KIBIBYTE} KiB` : `${most / MEBIBYTE} MiB`}`)

/** The bytes of a file. Checks the opened file, not its name. */
export async function readRegular(path: string, reading: Reading): Promise<Buffer> {
  // Otherwise, opening a pipe would wait for a writer.
  const atOnce = reading.orPipe ? 0 : (constants.O_NONBLOCK ?? 0)
  const opened = await open(path, constants.O_RDONLY | atOnce)
  try {
    demandRegular(await opened.stat(), reading)
    await reading.check?.(opened)
    const chunks: Buffer[] = []
    let size = 0
    // The file may grow while it is read.
    for await (const chunk of opened.createReadStream({ autoClose: false })) {
      chunks.push(chunk)
      size += chunk.length
      if (size > reading.most) throw tooLarge(reading.most)
    }
    return Buffer.concat(chunks)
  } finally {
    await opened.close()
  }
}
