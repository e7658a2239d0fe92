import { text } from 'node:stream/consumers'
import { UsageError } from '../errors/cli-errors.ts'
import { cannotRead, secretsOf, textOfFile } from '../named-file.ts'

const SECRET = /^(?:whsec_)?[A-Za-z\d+/]+={0,2}$/

/** The secret that signs the webhooks of an endpoint, from a file or the environment. */
export async function readSecret(secretFile: string | undefined): Promise<string> {
  const secret =
    secretFile === undefined
      ? process.env.PAYSIM_WEBHOOK_SECRET?.trim()
      : await secretsOf('--secret-file', secretFile)
  if (!secret)
    throw new UsageError(
      'the secret is missing: give its file with --secret-file, or set PAYSIM_WEBHOOK_SECRET',
    )
  // The text may be another secret, so it is not printed.
  if (!SECRET.test(secret))
    throw new UsageError('the webhook secret is invalid: it must be whsec_ followed by base64')
  return secret
}

/** The contents of a file that an option names; `-` is stdin. */
export async function contentsOf(flag: string, path: string): Promise<string> {
  return path === '-' ? text(process.stdin) : textOfFile(path).catch(cannotRead(flag, path))
}
