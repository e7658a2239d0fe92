import { createHash, randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { WEBHOOK_SECRET } from '../../contract/redact.ts'
import { readRegular } from '../../files/regular-file.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { secretsOf } from '../named-file.ts'
import type { Control } from '../where/control.ts'
import { runFolders, workingDirectory } from '../where/run-folder.ts'
import type { LocalSimulator } from '../where/simulators.ts'

/** A file with a secret, and what editors add to it. */
const MOST = 1024

/**
 * The secret of `webhooks listen`: one for each data directory, the same at each start, so that the application under
 * test needs it only once. A given secret replaces the kept one.
 */
export async function keepSecret({ simulator }: Control, given?: string): Promise<string> {
  const secret = given ?? `whsec_${randomBytes(24).toString('base64')}`
  const path = await pathFor(simulator?.data_dir ?? null)
  try {
    if (given !== undefined) await rm(path, { force: true })
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    // Of several that start at once, the first one makes the file.
    await writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx' })
    return secret
  } catch {
    return (await read(path)) ?? warnNotKept(secret, path)
  }
}

/** The secret that `webhooks listen` keeps for a simulator, if it was ever started for it. */
export async function keptSecret(simulator: Pick<LocalSimulator, 'data_dir'>): Promise<string | undefined> {
  return read(await pathFor(simulator.data_dir))
}

/** In the data directory. For a simulator in memory or on another machine, a file named after the working directory. */
async function pathFor(dataDirectory: string | null): Promise<string> {
  if (dataDirectory !== null) return join(dataDirectory, 'webhook-secret')
  const state = dirname(runFolders().at(-1) ?? '')
  const folder = createHash('sha256').update(workingDirectory()).digest('hex').slice(0, 16)
  return join(state, 'webhook-secrets', folder)
}

async function read(path: string): Promise<string | undefined> {
  try {
    const secret = (await readRegular(path, { own: true, most: MOST })).toString('utf8').trim()
    return WEBHOOK_SECRET.test(secret) ? secret : undefined
  } catch {
    return undefined
  }
}

function warnNotKept(secret: string, path: string): string {
  process.stderr.write(`paysim: cannot save the secret in ${path}: the next start will use a new one\n`)
  return secret
}

/** The option for the file of an endpoint's secret. */
export const SECRET_FILE = [
  '--secret-file <file>',
  "read the endpoint's secret from this file; - means stdin (default: PAYSIM_WEBHOOK_SECRET)",
] as const

const BASE64_SECRET = /^(?:whsec_)?[A-Za-z\d+/]+={0,2}$/

/** The secret that signs the webhooks of an endpoint, from a file or the environment. */
export async function readSecret(secretFile: string | undefined): Promise<string> {
  const [secret = '', ...more] = await readSecrets(secretFile)
  if (more.length > 0)
    throw new UsageError(`there are ${more.length + 1} webhook secrets, but only one can sign`)
  return secret
}

/** One or several: while a secret is changed, webhooks may be signed with the old or the new one. */
export async function readSecrets(secretFile: string | undefined): Promise<readonly string[]> {
  const text =
    secretFile === undefined
      ? (process.env.PAYSIM_WEBHOOK_SECRET ?? '')
      : await secretsOf('--secret-file', secretFile)
  const secrets = text.split(/\s+/).filter(word => word !== '')
  if (secrets.length === 0)
    throw new UsageError(
      'the secret is missing: give its file with --secret-file, or set PAYSIM_WEBHOOK_SECRET.\n' +
        '`paysim sim endpoints list --reveal` shows the secrets of endpoints, and `paysim webhooks listen --print-secret` its own.',
    )
  // The text may be another secret, so it is not printed. Of several, each says that it is one.
  const isOne = secrets.length === 1
  if (!secrets.every(secret => BASE64_SECRET.test(secret) && (isOne || secret.startsWith('whsec_'))))
    throw new UsageError('the webhook secret is invalid: it must be whsec_ followed by base64')
  return secrets
}
