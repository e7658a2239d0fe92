import { homedir } from 'node:os'
import { join } from 'node:path'
import { closest } from '../../contract/closest.ts'
import { isRecord } from '../../contract/json.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { cannotRead, textOfSecrets } from '../named-file.ts'

/** A server's address, keys and decisions. */
export interface Profile {
  readonly base_url: string
  readonly public_key: string
  readonly secret_key: string
  /** Decisions that differ from the default contract. */
  readonly contract?: Readonly<Record<string, unknown>>
  readonly ca_file?: string
}

/** The contents of the file of profiles. */
export interface ProfileBook {
  readonly current: string | null
  readonly profiles: Readonly<Record<string, Profile>>
}

export const NO_PROFILES: ProfileBook = { current: null, profiles: {} }

/** The file of profiles, in the configuration folder of the platform. */
export function profilesPath(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'paysim', 'profiles.json')
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'paysim', 'profiles.json')
  return join(homedir(), '.config', 'paysim', 'profiles.json')
}

/** Reads the file without lowdb, because every call does this. Only a change loads lowdb. */
export async function readProfiles(): Promise<ProfileBook> {
  const path = profilesPath()
  const text = await contentsOf(path)
  return text === undefined ? NO_PROFILES : parseBook(text, path)
}

const contentsOf = (path: string): Promise<string | undefined> =>
  textOfSecrets(path).catch((cause: NodeJS.ErrnoException) =>
    cause.code === 'ENOENT' ? undefined : cannotRead(path)(cause),
  )

function parseBook(text: string, path: string): ProfileBook {
  const advice = 'correct the file, or delete it and run `paysim profile add`'
  let book: unknown
  try {
    book = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new UsageError(`${path} is not valid JSON: ${advice}`)
  }
  if (!isBook(book)) throw new UsageError(`${path} does not contain profiles: ${advice}`)
  return { ...NO_PROFILES, ...book }
}

const REQUIRED = ['base_url', 'public_key', 'secret_key']

function isBook(value: unknown): value is Partial<ProfileBook> {
  if (!isRecord(value)) return false
  const { current = null, profiles = {} } = value
  return (
    (current === null || typeof current === 'string') &&
    isRecord(profiles) &&
    Object.values(profiles).every(
      profile => isRecord(profile) && REQUIRED.every(name => typeof profile[name] === 'string'),
    )
  )
}

/** The profile of this name. */
export function profileNamed(name: string, { profiles }: ProfileBook): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const meant = closest(name, Object.keys(profiles))
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new UsageError(`there is no profile ${name}${hint}\n\`paysim profile list\` lists all profiles.`)
}
