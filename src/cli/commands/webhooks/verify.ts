import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { checkWebhook, STALE_AFTER_MS } from '../../../library/webhook-checks.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { EXIT } from '../../errors/exit-code.ts'
import { milliseconds } from '../../flag-values.ts'
import { newCommand } from '../../new-command.ts'
import { type OutputFlags, outputFlags } from '../../output/flags.ts'
import { openPrinter } from '../../output/printer.ts'
import { drawRecord } from '../../output/record.ts'
import type { View } from '../../output/view.ts'
import { readSavedRequest, type SavedRequest } from '../../webhooks/saved-request.ts'

export const command = (): Command =>
  outputFlags(
    newCommand('webhooks verify')
      .description('Says whether a webhook that was kept is signed with a secret, and if not, what is wrong.')
      .option('--secret-file <file>', "the endpoint's secret; - is stdin; else PAYSIM_WEBHOOK_SECRET")
      .option('--headers <file>', 'its headers: lines, JSON, or a line of `listen -o jsonl`; - is stdin')
      .option('--id <id>', 'its webhook-id')
      .option('--timestamp <seconds>', 'its webhook-timestamp')
      .option('--signature <text>', 'its webhook-signature')
      .option('--body <file>', 'its body, where the file of the headers has none; - is stdin')
      .option('--tolerance <duration>', 'how old it may be, or none for any age (default: 5m)', tolerance),
  )
    .addHelpText(
      'after',
      `
It ends with 0 when all holds, and with 3 when something does not: what that is, is on stdout.
Its age is reckoned from when it came, where a line of \`listen\` says so, and from now otherwise.

Examples:
  paysim webhooks verify --secret-file secret.txt --headers webhook.jsonl
  paysim webhooks verify --secret-file secret.txt --headers request.http --tolerance none
  paysim webhooks verify --headers headers.json --body body.json -o json
  paysim webhooks verify --id evt_123 --timestamp 1795302243 --signature v1,abc= --body - < body.json`,
    )
    .action(verify)

function tolerance(text: string): number {
  return text === 'none' ? Number.POSITIVE_INFINITY : milliseconds(text)
}

interface VerifyFlags extends OutputFlags {
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
async function verify(flags: VerifyFlags): Promise<void> {
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

/** What became of a webhook that was held against a secret. */
interface Verdict {
  readonly valid: boolean
  readonly id: string | null
  readonly checks: readonly { readonly check: string; readonly problem: string | null }[]
}

interface Evidence {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly secret: string
  readonly now: number
  readonly toleranceMs: number | undefined
}

function judge({ toleranceMs = STALE_AFTER_MS, ...evidence }: Evidence): Verdict {
  const checks = checkWebhook({ ...evidence, toleranceMs }).map(({ check, problem }) => ({
    check,
    problem: check === 'signature' && problem !== null ? `${problem}${lineEndHint(evidence)}` : problem,
  }))
  return {
    valid: checks.every(({ problem }) => problem === null),
    id: evidence.headers['webhook-id'] ?? null,
    checks,
  }
}

/** The most common reason: what kept the body ended its last line. */
function lineEndHint({ body, ...evidence }: Omit<Evidence, 'toleranceMs'>): string {
  const bare = body.replace(/\r?\n$/, '')
  if (bare === body) return ''
  const without = checkWebhook({ ...evidence, body: bare, toleranceMs: Number.POSITIVE_INFINITY })
  const holds = without.some(({ check, problem }) => check === 'signature' && problem === null)
  return holds ? '; without the line break at its end it would: the file has one that was not sent' : ''
}

const MEANINGS: Readonly<Record<string, string>> = {
  headers: 'it has what a signed webhook has',
  signature: 'the body is what was signed with this secret',
  timestamp: 'it is no older than it may be',
  event: 'the header and the body name one event',
}

const verdictView: View<Verdict> = {
  human({ valid, id, checks }, screen) {
    const { paint } = screen
    const title = valid ? paint.green('valid') : paint.red('not valid')
    const fields = checks.map(({ check, problem }) => ({
      label: check,
      value: problem ?? MEANINGS[check] ?? 'holds',
      paint: problem === null ? paint.green : paint.red,
    }))
    return `${[title, ...(id === null ? [] : [id])].join('  ')}\n${drawRecord(fields, screen)}`
  },
}
