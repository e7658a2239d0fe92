import { chmod, mkdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Low } from 'lowdb'
import { JSONFile } from 'lowdb/node'
import { LockHeldError, ProcessLock } from '../../engine/store/process-lock.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { nameTaken } from './new-profile.ts'
import { NO_PROFILES, type Profile, type ProfileBook, profilesPath, readProfiles } from './profiles.ts'

interface KeepOptions {
  /** Makes it the current profile. The first profile becomes current in any case. */
  readonly use: boolean
  readonly replace: boolean
}

/** Saves a profile, reports it on stderr, and returns the name of the current profile. */
export async function keepProfile(
  name: string,
  profile: Profile,
  { use, replace }: KeepOptions,
): Promise<string | null> {
  const { current } = await changeProfiles(book => {
    const taken = Object.hasOwn(book.profiles, name)
    // Checked under the lock: another process may have taken the name in the meantime.
    if (taken && !replace) throw nameTaken(name)
    const isFirst = Object.keys(book.profiles).length === 0
    return {
      current: use || isFirst ? name : book.current,
      profiles: { ...book.profiles, [name]: profile },
    }
  })
  const hint =
    current === name
      ? 'it is the current profile now'
      : `make it the current one with \`paysim profile use ${name}\``
  process.stderr.write(`saved ${name} in ${profilesPath()}; ${hint}\n`)
  return current
}

/** A change of the file takes milliseconds. */
const PATIENCE_MS = 20_000

/** Changes the profiles under a lock, so that two processes do not overwrite each other's changes. */
export async function changeProfiles(change: (book: ProfileBook) => ProfileBook): Promise<ProfileBook> {
  const path = profilesPath()
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    if (process.platform !== 'win32') await chmod(dirname(path), 0o700)
    const lock = await ProcessLock.take(`${path}.lock`, { patienceMs: PATIENCE_MS })
    try {
      const book = change(await readProfiles())
      await write(await followLink(path), book)
      return book
    } finally {
      await lock.release()
    }
  } catch (cause) {
    if (cause instanceof LockHeldError)
      throw new UsageError(`another paysim (pid ${cause.pid}) is changing ${path}: try again`)
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (typeof code !== 'string') throw cause
    throw new UsageError(`cannot write ${path}: ${(cause as Error).message}`)
  }
}

/** Some people link their settings from elsewhere: the link stays a link. */
const followLink = (path: string) => realpath(path).catch(() => path)

/** Writes a temporary file and renames it, so that readers see the old file or the new one. Only the owner may read it. */
async function write(path: string, book: ProfileBook): Promise<void> {
  // A temporary file that a killed process left would keep its own mode.
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
