import { type FileHandle, open, rm } from 'node:fs/promises'
import type { Entry } from '../domain/events.ts'
import { writeLine } from './journal.ts'
import { Unavailable } from './unavailable.ts'

/** A journal written whole and synced: all of it is there, or the file is not. */
export async function writeWhole(path: string, entries: readonly Entry[]): Promise<void> {
  try {
    const handle = await open(path, 'w')
    try {
      for (const entry of entries) await handle.write(writeLine(entry))
      await handle.datasync()
    } finally {
      await handle.close()
    }
  } catch (cause) {
    await rm(path, { force: true })
    throw new Unavailable('The journal', cause)
  }
}

/** A write may take fewer bytes than it was given. */
export async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, null)
    written += bytesWritten
  }
}

/** What a rename did must be on the disk too. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows has no handle on a directory to sync; there, rename is as safe as it gets.
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
