import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { EXIT } from '../errors/exit-code.ts'
import { UsageError } from '../errors/usage-error.ts'
import type { OutputFlags } from '../output/flags.ts'
import { openPrinter } from '../output/printer.ts'
import { readSavedRequest, type SavedRequest } from './saved-request.ts'
import { judge, verdictView } from './verdict.ts'

export interface VerifyFlags extends OutputFlags {
  readonly secretFile?: string
  readonly headers?: string
  readonly id?: string
  readonly timestamp?: string
  readonly signature?: string
  readonly body?: string
  /** Without an end, where the age is no matter. */
  readonly tolerance?: number
}

/** Holds a webhook that was kept against the secret of its endpoint. */
export async function verify(flags: VerifyFlags): Promise<void> {
  const printer = openPrinter(flags)
  refuseTwoStdins(flags)
  const secret = await readSecret(flags)
  const saved = await readSaved(flags)
  const body = flags.body === undefined ? saved.body : await contentsOf('--body', flags.body)
  if (body === undefined)
    throw new UsageError('there is no body: --body names its file, where the file of the headers has none')
  const now = saved.receivedAt ?? Date.now()
  const verdict = judge({ headers: saved.headers, body, secret, now, toleranceMs: flags.tolerance })
  await printer.show({ body: verdict }, verdictView)
  if (!verdict.valid) process.exitCode = EXIT.credentials
}

function refuseTwoStdins({ secretFile, headers, body }: VerifyFlags): void {
  const given = Object.entries({ '--secret-file': secretFile, '--headers': headers, '--body': body })
    .filter(([, path]) => path === '-')
    .map(([flag]) => flag)
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} cannot all be stdin: it is read once`)
}

const SECRET = /^(?:whsec_)?[A-Za-z\d+/]+={0,2}$/

async function readSecret({ secretFile }: VerifyFlags): Promise<string> {
  const written =
    secretFile === undefined
      ? process.env.PAYSIM_WEBHOOK_SECRET
      : await contentsOf('--secret-file', secretFile)
  if (!written)
    throw new UsageError(
      'there is no secret: --secret-file names its file, or PAYSIM_WEBHOOK_SECRET holds it',
    )
  const secret = written.replace(/^\uFEFF/, '').trim()
  // What is no secret may well be another one: it is not repeated.
  if (!SECRET.test(secret)) throw new UsageError('that is no webhook secret: whsec_ and base64 are wanted')
  return secret
}

async function readSaved({ headers: file, id, timestamp, signature }: VerifyFlags): Promise<SavedRequest> {
  const single = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  const given = Object.entries(single).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  if (file === undefined && given.length < 3)
    throw new UsageError(
      '--headers names the file of the headers, or --id, --timestamp and --signature give them',
    )
  const saved =
    file === undefined ? { headers: {} } : readSavedRequest(await contentsOf('--headers', file), file)
  return { ...saved, headers: { ...saved.headers, ...Object.fromEntries(given) } }
}

async function contentsOf(flag: string, path: string): Promise<string> {
  if (path === '-') return text(process.stdin)
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new UsageError(`${flag} ${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  }
}
