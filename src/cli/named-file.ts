import { text } from 'node:stream/consumers'
import type { Contract } from '../contract/decisions.ts'
import { StartError } from '../engine/store/store-errors.ts'
import { FileRefusedError, MEBIBYTE, readRegular } from '../files/regular-file.ts'
import { UsageError } from './errors/cli-errors.ts'

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
    path === '-' ? await text(process.stdin) : await textOfSecrets(path).catch(cannotRead(flag, path))
  return written.replace(/^\uFEFF/, '').trim()
}

export const cannotRead = (flag: string, path: string) => (cause: unknown) => {
  throw new UsageError(`cannot read ${path} (${flag}): ${cause instanceof Error ? cause.message : cause}`)
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

/** Reads a JSON or YAML file that an option names. */
export async function readDataFile(path: string): Promise<unknown> {
  let text: string
  try {
    text = await textOfFile(path)
  } catch (cause) {
    throw new StartError(`cannot read ${path}: ${cause instanceof Error ? cause.message : cause}`, 2)
  }
  try {
    if (path.endsWith('.json')) return JSON.parse(text)
    const { valueOfYaml: parse } = await import('../files/yaml-document.ts')
    return parse(text)
  } catch (cause) {
    const [line = ''] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new StartError(`${path}: ${line}`, 2)
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
