import type { Command } from 'commander'
import { checkWebhook, STALE_AFTER_MS, type WebhookCheck } from '../../../library/webhooks.ts'
import { newCommand } from '../../command-table.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { EXIT } from '../../errors/exit-code.ts'
import { milliseconds } from '../../flag-values.ts'
import { type OutputFlags, outputFlags } from '../../output/formats.ts'
import { openPrinter } from '../../output/printer.ts'
import { drawRecord } from '../../output/record.ts'
import type { View } from '../../output/view.ts'
import { contentsOf, readSecret } from '../../webhooks/secret.ts'

export const command = (): Command =>
  outputFlags(
    newCommand('webhooks verify')
      .description('Check whether a saved webhook has a valid signature, and if not, print why.')
      .option(
        '--secret-file <file>',
        "read the endpoint's secret from this file; - means stdin (default: PAYSIM_WEBHOOK_SECRET)",
      )
      .option(
        '--headers <file>',
        'read the headers from this file: lines, JSON, or a line of `listen -o jsonl`; - means stdin',
      )
      .option('--id <id>', 'value of the webhook-id header')
      .option('--timestamp <seconds>', 'value of the webhook-timestamp header')
      .option('--signature <text>', 'value of the webhook-signature header')
      .option('--body <file>', 'read the body from this file, if the --headers file has none; - means stdin')
      .option(
        '--tolerance <duration>',
        'largest age of the webhook, or none for any age (default: 5m)',
        tolerance,
      ),
  )
    .addHelpText(
      'after',
      `
The exit code is 0 if the webhook is valid, and 3 if it is not. The result is printed to stdout.
The age is measured up to the time of receipt, if a line of \`listen\` has it, and up to now otherwise.

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
  /** Infinite for any age. */
  readonly tolerance?: number
}

async function verify(flags: VerifyFlags): Promise<void> {
  const printer = openPrinter(flags)
  refuseTwoStdins(flags)
  const secret = await readSecret(flags.secretFile)
  const saved = await readSaved(flags)
  const body = flags.body === undefined ? saved.body : await contentsOf('--body', flags.body)
  if (body === undefined)
    throw new UsageError(
      'the body is missing: give its file with --body, or a --headers file that contains it',
    )
  const now = saved.receivedAt ?? Date.now()
  const verdict = judge({ headers: saved.headers, body, secret, now, toleranceMs: flags.tolerance })
  if (!verdict.valid) process.exitCode = EXIT.credentials
  await printer.show({ body: verdict }, verdictView)
}

function refuseTwoStdins({ secretFile, headers, body }: VerifyFlags): void {
  const given = Object.entries({ '--secret-file': secretFile, '--headers': headers, '--body': body })
    .filter(([, path]) => path === '-')
    .map(([flag]) => flag)
  if (given.length > 1)
    throw new UsageError(`${given.join(' and ')} cannot both read stdin: give a file for one of them`)
}

async function readSaved({ headers: file, id, timestamp, signature }: VerifyFlags): Promise<SavedRequest> {
  const single = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  const given = Object.entries(single).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  if (file === undefined && given.length < 3)
    throw new UsageError(
      'the headers are missing: give their file with --headers, or give --id, --timestamp and --signature',
    )
  const saved =
    file === undefined ? { headers: {} } : readSavedRequest(await contentsOf('--headers', file), file)
  return { ...saved, headers: { ...saved.headers, ...Object.fromEntries(given) } }
}

/** The result of a check, as it is printed. */
interface Verdict {
  readonly valid: boolean
  readonly id: string | null
  /** `fault` is a name on the wire. It says why a check failed. */
  readonly checks: readonly { readonly check: WebhookCheck['check']; readonly fault: string | null }[]
}

interface SignedWebhook {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly secret: string
  readonly now: number
  readonly toleranceMs: number | undefined
}

function judge({ toleranceMs = STALE_AFTER_MS, ...evidence }: SignedWebhook): Verdict {
  const checks = checkWebhook({ ...evidence, toleranceMs }).map(({ check, problem }) => ({
    check,
    fault: check === 'signature' && problem !== null ? `${problem}${lineEndHint(evidence)}` : problem,
  }))
  return {
    valid: checks.every(({ fault }) => fault === null),
    id: evidence.headers['webhook-id'] ?? null,
    checks,
  }
}

/** The most common reason: an editor or a shell added a line break at the end of the body. */
function lineEndHint({ body, ...evidence }: Omit<SignedWebhook, 'toleranceMs'>): string {
  const trimmed = body.replace(/\r?\n$/, '')
  if (trimmed === body) return ''
  const without = checkWebhook({ ...evidence, body: trimmed, toleranceMs: Number.POSITIVE_INFINITY })
  const matches = without.some(({ check, problem }) => check === 'signature' && problem === null)
  return matches ? '. It would match without the line break at the end of the file, which was not sent' : ''
}

const MEANINGS: { readonly [C in WebhookCheck['check']]: string } = {
  headers: 'all headers of a signed webhook are present',
  signature: 'the body was signed with this secret',
  timestamp: 'the webhook is recent enough',
  event: 'the header and the body name the same event',
}

const verdictView: View<Verdict> = {
  human({ valid, id, checks }, screen) {
    const { paint } = screen
    const title = valid ? paint.green('valid') : paint.red('not valid')
    const fields = checks.map(({ check, fault }) => ({
      label: check,
      value: fault ?? MEANINGS[check],
      paint: fault === null ? paint.green : paint.red,
    }))
    return `${[title, ...(id === null ? [] : [id])].join('  ')}\n${drawRecord(fields, screen)}`
  },
}

/** A webhook that somebody saved, in one file or in two. */
interface SavedRequest {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** When it was received, if that was saved too. */
  readonly receivedAt?: number
}

/** Reads headers as lines or as JSON, with or without the body. A line that `listen` printed has both. */
function readSavedRequest(text: string, name: string): SavedRequest {
  const written = text.replace(/^\uFEFF/, '')
  if (written.trim() === '') throw new UsageError(`${name} is empty`)
  return written.trimStart().startsWith('{') ? fromJson(written, name) : fromBlock(written, name)
}

function fromJson(written: string, name: string): SavedRequest {
  const value = parse(written, name)
  const { headers, body, received_at: receivedAt } = value
  if (typeof headers !== 'object' || headers === null) return { headers: texts(value) }
  const at = typeof receivedAt === 'string' ? Date.parse(receivedAt) : Number.NaN
  return {
    headers: texts(headers as Record<string, unknown>),
    ...(typeof body === 'string' ? { body } : {}),
    ...(Number.isNaN(at) ? {} : { receivedAt: at }),
  }
}

function parse(written: string, name: string): Record<string, unknown> {
  try {
    return JSON.parse(written)
  } catch (cause) {
    const lines = written.trim().split('\n').length
    const hint = lines > 1 ? `. The file has ${lines} lines: give it only one` : ''
    throw new UsageError(
      `${name} does not contain a JSON object: ${cause instanceof Error ? cause.message : cause}${hint}`,
    )
  }
}

const texts = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ['string', 'number'].includes(typeof value) ? [[name.toLowerCase(), String(value)]] : [],
    ),
  )

const REQUEST_LINE = /^[A-Z]+ \S+(?: HTTP\/[\d.]+)?$/

/** Reads an HTTP message: perhaps a request line, then headers, then a blank line and the body. */
function fromBlock(written: string, name: string): SavedRequest {
  const [, head = written, rest] = /^(.*?)\r?\n\r?\n(.*)$/s.exec(written) ?? []
  const lines = head
    .split(/\r?\n/)
    .filter((line, at) => line !== '' && !(at === 0 && REQUEST_LINE.test(line)))
  const headers = Object.fromEntries(
    lines.map(line => {
      const [, key, value] = /^([^\s:]+):\s*(.*?)\s*$/.exec(line) ?? []
      if (key === undefined || value === undefined)
        throw new UsageError(
          `${name}: this line is not a header such as webhook-id: evt_…: ${JSON.stringify(line.slice(0, 60))}`,
        )
      return [key.toLowerCase(), value]
    }),
  )
  return rest === undefined || rest === ''
    ? { headers }
    : { headers, body: cut(rest, headers['content-length']) }
}

/** Cuts off the line break that an editor adds at the end of a file. */
function cut(body: string, length: string | undefined): string {
  const bytes = Buffer.from(body)
  return length !== undefined && Number(length) < bytes.length
    ? bytes.toString('utf8', 0, Number(length))
    : body
}
