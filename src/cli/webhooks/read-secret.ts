import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { UsageError } from '../errors/cli-errors.ts'

const SECRET = /^(?:whsec_)?[A-Za-z\d+/]+={0,2}$/

/** The secret that signs the webhooks of an endpoint, from a file or the environment. */
export async function readSecret(secretFile: string | undefined): Promise<string> {
  const written =
    secretFile === undefined
      ? process.env.PAYSIM_WEBHOOK_SECRET
      : await contentsOf('--secret-file', secretFile)
  if (!written)
    throw new UsageError(
      'the secret is missing: give its file with --secret-file, or set PAYSIM_WEBHOOK_SECRET',
    )
  const secret = written.replace(/^\uFEFF/, '').trim()
  // The text may be another secret, so it is not printed.
  if (!SECRET.test(secret))
    throw new UsageError('the webhook secret is invalid: it must be whsec_ followed by base64')
  return secret
}

/** The contents of a file that an option names; `-` is stdin. */
export async function contentsOf(flag: string, path: string): Promise<string> {
  if (path === '-') return text(process.stdin)
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new UsageError(`cannot read ${path} (${flag}): ${cause instanceof Error ? cause.message : cause}`)
  }
}
