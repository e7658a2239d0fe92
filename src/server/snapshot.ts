import { constants } from 'node:fs'
import { access, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AccountRuntime } from '../engine/account/open-runtime.ts'
import type { Archive } from '../engine/account/replace-history.ts'
import { StartError } from '../engine/store/store-errors.ts'
import { FileRefusedError, openRegular } from '../files/regular-file.ts'
import { archiveOf } from './control/archive.ts'
import { RefusalError } from './refusal.ts'

/** One account as a file: what a server starts with, and what it leaves. */

export interface Snapshot {
  readonly archive: Archive
  readonly environment: 'test' | 'live'
}

/** Reads the whole file before anything is made of it. */
export async function readSnapshot(file: string): Promise<Snapshot> {
  const { readArchiveFile } = await import('./control/read-archive.ts')
  try {
    const { file: opened } = await openRegular(file)
    const bytes = opened.createReadStream()
    try {
      return await readArchiveFile(bytes)
    } finally {
      bytes.destroy()
    }
  } catch (cause) {
    throw new StartError(`cannot start from ${file}: ${reasonOf(cause)}`, 2)
  }
}

/** Where an export can be written, as far as one can know before the end. */
export async function demandWritable(file: string): Promise<void> {
  try {
    await access(dirname(resolve(file)), constants.W_OK)
    if ((await stat(file).catch(() => undefined))?.isDirectory()) throw new Error('it is a folder')
  } catch (cause) {
    throw new StartError(`cannot export to ${file}: ${reasonOf(cause)}`, 2)
  }
}

/** Writes the whole file, or leaves the old one unchanged. */
export async function writeSnapshot(runtime: AccountRuntime, file: string): Promise<void> {
  const draft = `${file}.${process.pid}.part`
  try {
    await writeFile(draft, await archiveOf(runtime), { mode: 0o600, flush: true })
    await rename(draft, file)
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {})
    throw new StartError(`the account ${runtime.account.id} was not exported to ${file}: ${reasonOf(cause)}`)
  }
}

export const reasonOf = (cause: unknown): string => {
  if (cause instanceof FileRefusedError) return `it ${cause.message}`
  if (!(cause instanceof RefusalError)) return cause instanceof Error ? cause.message : String(cause)
  const [first] = cause.rejection.details ?? []
  return first ? `${first.field} ${first.message}` : cause.message
}
