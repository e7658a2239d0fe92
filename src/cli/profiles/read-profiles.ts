import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../errors/usage-error.ts'
import { NO_PROFILES, type ProfileBook } from './profile.ts'

/** Where the profiles are, as the platform has it. */
export function profilesPath(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'paysim', 'profiles.json')
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'paysim', 'profiles.json')
  return join(homedir(), '.config', 'paysim', 'profiles.json')
}

/** Reading is plain, since every call does it: only a change loads the store. */
export async function readProfiles(): Promise<ProfileBook> {
  const path = profilesPath()
  const text = await contentsOf(path)
  return text === undefined ? NO_PROFILES : parseBook(text, path)
}

async function contentsOf(path: string): Promise<string | undefined> {
  try {
    const file = await open(path)
    try {
      warnIfOpenToOthers(path, (await file.stat()).mode)
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new UsageError(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/** Whether anybody but the owner may look into it. Windows keeps that elsewhere. */
export const isOpenToOthers = (mode: number): boolean => process.platform !== 'win32' && (mode & 0o077) !== 0

let warned = false

function warnIfOpenToOthers(path: string, mode: number): void {
  if (warned || !isOpenToOthers(mode)) return
  warned = true
  process.stderr.write(`paysim: ${path} holds keys, and others can read it: chmod 600 it\n`)
}

function parseBook(text: string, path: string): ProfileBook {
  const mend = `mend it, or remove it and begin again with \`paysim profile add\``
  let book: unknown
  try {
    book = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new UsageError(`${path} is no JSON: ${mend}`)
  }
  if (!isBook(book)) throw new UsageError(`${path} does not hold profiles: ${mend}`)
  return { ...NO_PROFILES, ...book }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const PIECES = ['base_url', 'public_key', 'secret_key']

function isBook(value: unknown): value is Partial<ProfileBook> {
  if (!isRecord(value)) return false
  const { current = null, profiles = {} } = value
  return (
    (current === null || typeof current === 'string') &&
    isRecord(profiles) &&
    Object.values(profiles).every(
      profile => isRecord(profile) && PIECES.every(piece => typeof profile[piece] === 'string'),
    )
  )
}
