import { closest } from '../../contract/closest.ts'
import { UsageError } from '../errors/usage-error.ts'
import type { Profile, ProfileBook } from './profile.ts'

/** The profile of this name. That there is none is the caller's to put right. */
export function profileNamed(name: string, { profiles }: ProfileBook): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const meant = closest(name, Object.keys(profiles))
  const hint = meant === undefined ? ':' : `; did you mean ${meant}?`
  throw new UsageError(`there is no profile ${name}${hint} \`paysim profile list\` shows them`)
}
