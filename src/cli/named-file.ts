import { text } from 'node:stream/consumers'
import type { Contract } from '../contract/decisions.ts'
import { StartError } from '../engine/store/store-errors.ts'
import { FileRefusedError, MEBIBYTE, readRegular } from '../files/regular-file.ts'
import { messageOf, UsageError } from './errors/cli-errors.ts'

/** The limit for files that the user named. A pipe or an endless file must not block a command or fill its memory. */

const MOST = 16 * MEBIBYTE
/** The limit for files with secrets, such as files of environment variables and the file of profiles. */
const MOST_OF_SECRETS = MEBIBYTE / 4

/** Files that a shell opens, such as for `<(command)`. */
const OPENED = /^\/(?:dev|proc\/self)\/(?:fd\/\d+|stdin)$/

export const textOfFile = (path: string): Promise<string> => read(path, MOST)

/** Reads a file with secrets, which only its owner should be able to read. */
export async function textOfSecrets(path: string): Promise<string> {
  return read(path, MOST_OF_SECRETS, mode => warnIfOpenToOthers(path, mode))
}

/** Reads secrets from a file that an option names, or from stdin for `-`. Removes what editors put around a text. */
export async function secretsOf(flag: string, path: string): Promise<string> {
  const written =
    path === '-' ? await text(process.stdin) : await textOfSecrets(path).catch(cannotRead(path, flag))
  return written.replace(/^\uFEFF/, '').trim()
}

/** The text of a file that an option or an argument names, or of stdin for `-`. */
export const textOrStdin = (path: string, flag?: string): Promise<string> =>
  path === '-' ? text(process.stdin) : textOfFile(path).catch(cannotRead(path, flag))

/** For `catch`: says which file it is, and which option names it. */
export const cannotRead = (path: string, flag?: string) => refusal('read', path, flag)
export const cannotWrite = (path: string, flag?: string) => refusal('write', path, flag)

const refusal = (what: string, path: string, flag: string | undefined) => (cause: unknown) => {
  throw new UsageError(`cannot ${what} ${path}${flag ? ` (${flag})` : ''}: ${messageOf(cause)}`)
}

async function read(path: string, most: number, onMode?: (mode: number) => void): Promise<string> {
  try {
    const bytes = await readRegular(path, {
      most,
      orPipe: OPENED.test(path),
      check: file => {
        if (file.isFile()) onMode?.(file.mode)
      },
    })
    return bytes.toString('utf8')
  } catch (cause) {
    throw cause instanceof FileRefusedError ? new Error(`it ${cause.message}`) : cause
  }
}

/** Whether anybody but the owner may read the file. On Windows, the mode does not say. */
export const isOpenToOthers = (mode: number): boolean => process.platform !== 'win32' && (mode & 0o077) !== 0

const warned = new Set<string>()

function warnIfOpenToOthers(path: string, mode: number): void {
  if (warned.has(path) || !isOpenToOthers(mode)) return
  warned.add(path)
  process.stderr.write(`paysim: other users can read ${path}, which has a secret: run chmod 600 on it\n`)
}

/** The value in a YAML or JSON file, or in stdin if the path is `-`. */
export const readDocument = async (path: string): Promise<unknown> =>
  parseDocument(await textOrStdin(path), path)

/** The value in a text that was already read. */
export async function parseDocument(text: string, path: string): Promise<unknown> {
  const name = path === '-' ? 'stdin' : path
  const written = text.replace(/^\uFEFF/, '')
  if (written.trim() === '') throw new UsageError(`${name} is empty`)
  try {
    return await parse(written, path)
  } catch (cause) {
    const [line = ''] = messageOf(cause).split('\n')
    throw new UsageError(`${name}: ${line.replace(/:$/, '')}`)
  }
}

/** JSON is YAML too, but its parser need not be loaded. */
async function parse(written: string, path: string): Promise<unknown> {
  if (path.endsWith('.json')) return JSON.parse(written)
  if (/^\s*[[{]/.test(written)) {
    try {
      return JSON.parse(written)
    } catch {
      // A list or an object in the short form of YAML begins the same way.
    }
  }
  return (await import('../files/yaml-document.ts')).valueOfYaml(written)
}

/** The list in a document, which may stand under a name. */
export async function readList(path: string, name: string): Promise<readonly unknown[]> {
  const value = await readDocument(path)
  const list = typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : value
  if (Array.isArray(list)) return list
  throw new UsageError(`${path === '-' ? 'stdin' : path}: expected a list, or {${name}: […]}`)
}

/** A document that a server needs for its start. */
export async function readDataFile(path: string): Promise<unknown> {
  try {
    return await readDocument(path)
  } catch (cause) {
    throw new StartError(messageOf(cause), 2)
  }
}

export async function readObjectFile(path: string): Promise<Record<string, unknown>> {
  const value = await readDataFile(path)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new StartError(`${path} must contain one object`, 2)
  return value as Record<string, unknown>
}

/** All decisions, with the overrides of a file or of a profile. */
export async function readContract(
  overrides: string | Readonly<Record<string, unknown>> | undefined,
): Promise<Contract> {
  const { ContractError, resolveContract } = await import('../contract/resolve-contract.ts')
  try {
    return resolveContract(typeof overrides === 'string' ? await readObjectFile(overrides) : overrides)
  } catch (error) {
    throw error instanceof ContractError ? new UsageError(error.message) : error
  }
}
