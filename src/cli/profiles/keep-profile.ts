import { UsageError } from '../errors/usage-error.ts'
import { changeProfiles } from './change-profiles.ts'
import { nameTaken } from './name-taken.ts'
import type { Profile } from './profile.ts'
import { profilesPath } from './read-profiles.ts'

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
