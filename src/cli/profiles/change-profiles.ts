import { chmod, mkdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Low } from 'lowdb'
import { JSONFile } from 'lowdb/node'
import { LockHeldError, ProcessLock } from '../../engine/process-lock.ts'
import { UsageError } from '../errors/usage-error.ts'
import { NO_PROFILES, type ProfileBook } from './profile.ts'
import { profilesPath, readProfiles } from './read-profiles.ts'

/** A change of the file takes milliseconds. */
const PATIENCE_MS = 20_000

/** Changes what is kept, from what is there now: two who do so at once do not lose each other's. */
export async function changeProfiles(change: (book: ProfileBook) => ProfileBook): Promise<ProfileBook> {
  const path = profilesPath()
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    if (process.platform !== 'win32') await chmod(dirname(path), 0o700)
    const lock = await ProcessLock.take(`${path}.lock`, { patienceMs: PATIENCE_MS })
    try {
      const book = change(await readProfiles())
      await write(await whereItLies(path), book)
      return book
    } finally {
      await lock.release()
    }
  } catch (cause) {
    if (cause instanceof LockHeldError)
      throw new UsageError(`${path} is being changed by another paysim (pid ${cause.pid}); try again`)
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (typeof code !== 'string') throw cause
    throw new UsageError(`${path} cannot be written: ${(cause as Error).message}`)
  }
}

/** A link, as those who keep their settings elsewhere have it, stays one. */
const whereItLies = (path: string) => realpath(path).catch(() => path)

/** Written beside and renamed: whoever reads finds all of the old or all of the new. Nobody else may read either. */
async function write(path: string, book: ProfileBook): Promise<void> {
  // What a killed process left would keep the mode it has.
  await rm(join(dirname(path), `.${basename(path)}.tmp`), { force: true })
  const db = new Low<ProfileBook>(new JSONFile(path), NO_PROFILES)
  db.data = book
  const mask = process.umask(0o077)
  try {
    await db.write()
  } finally {
    process.umask(mask)
  }
}
