import { chmod, mkdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Low } from 'lowdb'
import { JSONFile } from 'lowdb/node'
import { LockHeldError, ProcessLock } from '../../engine/process-lock.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { nameTaken } from './new-profile.ts'
import { NO_PROFILES, type Profile, type ProfileBook, profilesPath, readProfiles } from './profiles.ts'

interface Keeping {
  /** The first one is in use in any case. */
  readonly use: boolean
  readonly replace: boolean
}

/** Keeps a profile, says so, and gives the name of the one in use. */
export async function keepProfile(
  name: string,
  profile: Profile,
  { use, replace }: Keeping,
): Promise<string | null> {
  const { current } = await changeProfiles(book => {
    const taken = Object.hasOwn(book.profiles, name)
    // Looked at under the lock: another process may have taken the name meanwhile.
    if (taken && !replace) throw new UsageError(nameTaken(name))
    const isFirst = Object.keys(book.profiles).length === 0
    return {
      current: use || isFirst ? name : book.current,
      profiles: { ...book.profiles, [name]: profile },
    }
  })
  const hint =
    current === name ? 'in use from now on' : `\`paysim profile use ${name}\` makes it the one in use`
  process.stderr.write(`${name} is kept in ${profilesPath()}; ${hint}\n`)
  return current
}

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
