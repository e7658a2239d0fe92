import { isUtf8 } from 'node:buffer'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { isSuccess } from '../../../application/request-once.ts'
import { posted, sampleEvent } from '../../../application/webhook-variants.ts'
import { formatDuration } from '../../../contract/durations.ts'
import {
  type EventName,
  eventMeant,
  OPTIONAL_EVENTS,
  STANDARD_EVENTS,
} from '../../../contract/event-names.ts'
import { isRecord, parseForeign } from '../../../contract/json.ts'
import { type SavedWebhook, STALE_AFTER_MS } from '../../../contract/webhook-check.ts'
import { signWebhook } from '../../../contract/webhook-signature.ts'
import { newCommand } from '../../command-table.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { EXIT } from '../../errors/exit-code.ts'
import { webhookTarget } from '../../flag-values.ts'
import { cannotRead, readObjectFile, textOfFile } from '../../named-file.ts'
import { type OutputFlags, outputFlags } from '../../output/formats.ts'
import { writerTo } from '../../output/printer.ts'
import { openScreen } from '../../output/screen.ts'
import { visible, visibleLines } from '../../output/text.ts'
import { brief, rowPrinter, warn } from '../../webhooks/deliveries.ts'
import { postRaw } from '../../webhooks/forwarder.ts'
import { readSaved } from '../../webhooks/saved.ts'
import { readSecret, SECRET_FILE } from '../../webhooks/secret.ts'

const ENDS = `The exit code is 0 if everything was answered 2xx, 10 if something was refused, and 7 if there was no answer.`

export const replay = (): Command =>
  outputFlags(
    newCommand('webhooks replay')
      .description('Send saved webhooks again to a URL, one after another.')
      .argument(
        '<file...>',
        'files of `webhooks receive --save`, lines of `listen -o jsonl`, or HTTP requests',
      )
      .requiredOption('--to <url>', 'URL to send them to', webhookTarget)
      .option('--edit', 'change each body in an editor first (VISUAL or EDITOR); needs the secret')
      .option(
        '--secret-file <file>',
        'sign afresh, for the present time, with the secret in this file (default: PAYSIM_WEBHOOK_SECRET)',
      ),
  )
    .addHelpText(
      'after',
      `
With a secret, webhook-timestamp and webhook-signature are new. Without one, everything is as it was, and a receiver that
checks the time refuses a webhook that is more than 5 minutes old. The id stays, so that your application sees a repeated
event; with --edit, the id in the body is also that of the webhook.
${ENDS}

Examples:
  paysim webhooks replay hooks/webhook-0001.json --to localhost:3000/webhooks --secret-file secret.txt
  paysim webhooks replay hooks/*.json --to localhost:3000/webhooks -o jsonl
  paysim webhooks replay hooks/webhook-0001.json --to localhost:3000/webhooks --edit --secret-file secret.txt`,
    )
    .action(sendAgain)

export const send = (): Command =>
  outputFlags(
    newCommand('webhooks send')
      .description('Send an invented event to a URL, signed, without a simulator.')
      .argument('<type>', 'what it reports, such as payment.succeeded', eventName)
      .requiredOption('--to <url>', 'URL to send it to', webhookTarget)
      .option(...SECRET_FILE)
      .option('--data <file>', 'members of its data that replace others, in this JSON or YAML file'),
  )
    .addHelpText(
      'after',
      `
The event has an id of its own, and is about a record that no server knows. \`paysim sim events send\` lets the simulator
send one to its endpoints, with the normal retries.
${ENDS}

Examples:
  paysim webhooks send payment.succeeded --to localhost:3000/webhooks --secret-file secret.txt
  paysim webhooks send payment.failed --to localhost:3000/webhooks --data order.json -o json`,
    )
    .action(sendInvented)

function eventName(text: string): EventName {
  const names: readonly EventName[] = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS]
  const known = names.find(name => name === text)
  if (known !== undefined) return known
  const meant = eventMeant(text)
  throw new InvalidArgumentError(
    `${meant === undefined ? '' : `Did you mean ${meant}? `}The types are ${names.join(', ')}.`,
  )
}

interface SendingFlags extends OutputFlags {
  readonly to: URL
  readonly secretFile?: string
}

interface ReplayFlags extends SendingFlags {
  readonly edit?: true
}

interface SendFlags extends SendingFlags {
  readonly data?: string
}

/** A webhook to send. */
interface Outgoing {
  readonly file: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Sends saved webhooks again, in this order. */
async function sendAgain(files: readonly string[], flags: ReplayFlags): Promise<void> {
  const hasSecret = flags.secretFile !== undefined || process.env.PAYSIM_WEBHOOK_SECRET !== undefined
  if (flags.edit && !hasSecret)
    throw new UsageError(
      '--edit needs the secret, because the old signature does not fit another body: give its file with --secret-file, or set PAYSIM_WEBHOOK_SECRET',
    )
  const secret = hasSecret ? await readSecret(flags.secretFile) : undefined
  // All of them are read before the first one is sent.
  const saved = (await Promise.all(files.map(savedIn))).flat()
  if (secret === undefined) warnOfAge(saved)
  await sendEach(flags, saved, async webhook => {
    const changed = flags.edit ? await edited(webhook) : webhook
    return secret === undefined ? changed : signedAfresh(changed, secret)
  })
}

/** Sends an invented event, without a simulator. */
async function sendInvented(type: EventName, flags: SendFlags): Promise<void> {
  const secret = await readSecret(flags.secretFile)
  const data = flags.data === undefined ? {} : await readObjectFile(flags.data)
  const { headers, body } = posted(sampleEvent(type, data), secret)
  await sendEach(flags, [{ file: null, headers, body: Buffer.from(body) }], async webhook => webhook)
}

/** The webhook in a file, or all of them if each is a line of JSON. */
async function savedIn(file: string): Promise<readonly Outgoing[]> {
  const text = await textOfFile(file).catch(cannotRead(file, 'FILE'))
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const isOfLines = lines.length > 1 && lines.every(line => isRecord(parseForeign(line)))
  return (isOfLines ? lines : [text]).map(one => outgoing(readSaved(one, file), file))
}

function outgoing({ headers, body }: SavedWebhook, file: string): Outgoing {
  if (body === undefined)
    throw new UsageError(
      `${file} has no body: it must be a webhook as \`webhooks receive --save\` or \`webhooks listen -o jsonl\` writes it, or an HTTP request`,
    )
  return { file, headers, body: Buffer.from(body) }
}

/** A receiver refuses old ones, which looks like a wrong secret. */
function warnOfAge(saved: readonly Outgoing[]): void {
  const ages = saved.map(({ headers }) => Date.now() - 1000 * Number(headers['webhook-timestamp']))
  const old = ages.filter(age => age > STALE_AFTER_MS)
  if (old.length === 0) return
  const most = formatDuration(Math.floor(Math.max(...old) / 60_000) * 60_000)
  const which = saved.length === 1 ? 'the webhook is' : `${old.length} of ${saved.length} webhooks are`
  warn(
    `${which} sent with an old time and signature, from ${most} ago: a receiver that checks the time refuses that; give --secret-file to sign afresh`,
  )
}

const NEVER = new AbortController().signal

async function sendEach(
  flags: SendingFlags,
  webhooks: readonly Outgoing[],
  prepare: (webhook: Outgoing) => Promise<Outgoing>,
): Promise<void> {
  const printer = await sentPrinter(flags)
  const sent: Sent[] = []
  for (const webhook of webhooks) {
    const { file, headers, body } = await prepare(webhook)
    const {
      status,
      error,
      ms,
      body: answer,
    } = await postRaw({ rawHeaders: Object.entries(headers).flat(), body }, flags.to, NEVER)
    const event = eventIn(body)
    const id = headers['webhook-id'] ?? null
    const type = typeof event.type === 'string' ? event.type : null
    const row = { file, id, type, url: flags.to.href, status, error, ms, answer }
    sent.push(row)
    await printer.row(row)
  }
  await printer.end()
  if (sent.some(({ status }) => status === null)) process.exitCode = EXIT.noAnswer
  else if (!sent.every(({ status }) => isSuccess(status ?? 0))) process.exitCode = EXIT.expectationFailed
}

function eventIn(body: Buffer): Readonly<Record<string, unknown>> {
  const event = parseForeign(body.toString('utf8'))
  return isRecord(event) ? event : {}
}

/** With the present time. What it is about, and its id, stay. */
function signedAfresh({ file, headers, body }: Outgoing, secret: string): Outgoing {
  const id = headers['webhook-id'] ?? eventIn(body).id
  if (typeof id !== 'string')
    throw new UsageError(`${file} has no webhook-id, which is a part of what is signed`)
  const timestamp = Math.floor(Date.now() / 1000)
  const own = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook({ id, timestamp, body }, [secret]),
  }
  return { file, headers: { ...headers, ...own }, body }
}

/** Lets the user change the body in an editor. A new id in the body is that of the webhook too. */
async function edited({ file, headers, body }: Outgoing): Promise<Outgoing> {
  if (!isUtf8(body)) throw new UsageError(`${file}: its body is no text, and cannot be edited`)
  const before = body.toString('utf8')
  const after = await inEditor(before)
  if (after.trim() === '') throw new UsageError(`${file}: the body is empty now; nothing more is sent`)
  const bytes = Buffer.from(after)
  const [old, now] = [eventIn(body).id, eventIn(bytes).id]
  const isRenamed = old === headers['webhook-id'] && typeof now === 'string'
  return { file, headers: isRenamed ? { ...headers, 'webhook-id': now } : headers, body: bytes }
}

async function inEditor(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-edit-'))
  const path = join(folder, 'body.json')
  try {
    const shown = laidOut(text)
    await writeFile(path, shown, { mode: 0o600 })
    await runEditor(path)
    const written = await readFile(path, 'utf8')
    // Many editors add a line break.
    return written === shown || written === `${shown}\n` ? text : written.replace(/\r?\n$/, '')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** JSON on one line is hard to edit. It is laid out only if nothing but blanks changes. */
function laidOut(text: string): string {
  const value = parseForeign(text)
  return value !== undefined && JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
}

async function runEditor(path: string): Promise<void> {
  const isWindows = process.platform === 'win32'
  const editor = process.env.VISUAL || process.env.EDITOR || (isWindows ? 'notepad' : 'vi')
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { stdio: 'inherit', shell: true })
    : spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new UsageError(`the editor \`${editor}\` ended with ${code}; nothing more is sent`)
}

/** What was sent, and the answer. */
interface Sent {
  readonly file: string | null
  readonly id: string | null
  readonly type: string | null
  readonly url: string
  readonly status: number | null
  /** Why there is no answer. */
  readonly error: string | null
  readonly ms: number
  /** The beginning of its body. */
  readonly answer: string
}

const SENT_COLUMNS = ['file', 'id', 'type', 'url', 'status', 'error', 'ms']
const SHOWN_ANSWER = 500

async function sentPrinter(
  flags: OutputFlags,
): Promise<NonNullable<Awaited<ReturnType<typeof rowPrinter<Sent>>>>> {
  const rows = await rowPrinter<Sent>(flags, SENT_COLUMNS)
  if (rows) return rows
  const write = writerTo(process.stdout)
  const { paint } = await openScreen(process.stdout, flags)
  return {
    async row({ file, id, type, status, error, ms, answer }) {
      const isTaken = status !== null && isSuccess(status)
      const parts = [
        isTaken ? paint.green(`✓ ${status}`) : paint.red(`✗ ${status ?? visible(error ?? 'no answer')}`),
        paint.bold(brief(type ?? 'a webhook')),
        brief(id ?? ''),
        `in ${ms} ms`,
        paint.dim(visible(file ?? '')),
      ]
      const why =
        isTaken || answer === ''
          ? ''
          : `  ${visibleLines(answer.slice(0, SHOWN_ANSWER)).trimEnd().replaceAll('\n', '\n  ')}\n`
      await write(`${parts.filter(part => part !== '').join('  ')}\n${why}`)
    },
    end: async () => {},
  }
}
