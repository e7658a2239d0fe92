import type { Keys } from '../../client/credentials.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { secretsOf } from '../named-file.ts'

/** Reads keys from a file or from stdin: `PUBLIC:SECRET`, lines of an environment file, or a JSON object. */
export async function readKeyFile(path: string): Promise<Keys> {
  const found = readKeys(await secretsOf('--key-file', path))
  if (!found)
    throw new UsageError(
      `${path === '-' ? 'stdin' : path} contains no keys: write them as PUBLIC:SECRET, as lines PAYSIM_PUBLIC_KEY=… and PAYSIM_SECRET_KEY=…, or as {"public_key":…,"secret_key":…}`,
    )
  return found
}

function readKeys(written: string): Keys | undefined {
  return written.startsWith('{') ? fromJson(written) : (fromPair(written) ?? fromLines(written))
}

function fromPair(written: string): Keys | undefined {
  const [, publicKey, secretKey] = /^([^\s:=]+):(\S+)$/.exec(written) ?? []
  return publicKey && secretKey ? { publicKey, secretKey } : undefined
}

function fromLines(written: string): Keys | undefined {
  const value = (name: string) =>
    new RegExp(`^(?:export\\s+)?${name}\\s*=\\s*["']?([^"'\\s]+)["']?\\s*$`, 'm').exec(written)?.[1]
  const [publicKey, secretKey] = [value('PAYSIM_PUBLIC_KEY'), value('PAYSIM_SECRET_KEY')]
  return publicKey && secretKey ? { publicKey, secretKey } : undefined
}

function fromJson(written: string): Keys | undefined {
  try {
    const { public_key: publicKey, secret_key: secretKey } = JSON.parse(written)
    return typeof publicKey === 'string' && typeof secretKey === 'string'
      ? { publicKey, secretKey }
      : undefined
  } catch {
    return undefined
  }
}

/** A token from a file, which keeps it out of the process list. */
export async function readToken(path: string): Promise<string> {
  const token = await secretsOf('--control-token-file', path)
  if (/^\S+$/.test(token)) return token
  throw new UsageError(`${path === '-' ? 'stdin' : path} must contain a token and nothing else`)
}
