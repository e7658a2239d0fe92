import { formatDuration } from './durations.ts'
import { isRecord, parseForeign } from './json.ts'
import type { WEBHOOK_CHECKS } from './statuses.ts'
import { mistakeIn, verifyWebhook } from './webhook-signature.ts'

/** Says what is wrong with a webhook that was received, saved or pasted. */

/** As in Standard Webhooks: an older signature may be a replay. */
export const STALE_AFTER_MS = 5 * 60_000

export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A webhook, and the secrets and the time to check it with. */
interface WebhookToCheck {
  readonly headers: WebhookHeaders
  /** Bytes if it may be no UTF-8. */
  readonly body: string | Uint8Array
  /** The body as JSON, if somebody has read it. */
  readonly event?: unknown
  /** One must match: a sender that changes its secret signs with the old and the new one for a while. */
  readonly secrets: readonly string[]
  /** Wall time in milliseconds, not the account's time. */
  readonly now: number
  /** How far the timestamp may be from that time. */
  readonly toleranceMs?: number | undefined
  /** Whether its body may be no event of this API: Standard Webhooks ask for nothing in it. */
  readonly anyBody?: boolean
}

/** What it means that a check passed. */
export const CHECK_MEANINGS: { readonly [C in (typeof WEBHOOK_CHECKS)[number]]: string } = {
  headers: 'all headers of a signed webhook are present',
  signature: 'the body was signed with this secret',
  timestamp: 'the webhook is recent enough',
  event: 'the header and the body name the same event',
}

export interface WebhookCheck {
  readonly check: (typeof WEBHOOK_CHECKS)[number]
  /** The problem; null if the check passed. */
  readonly problem: string | null
}

/** The checks of a verifier, in order. Without the headers, no other check is possible. */
export function checkWebhook({
  headers,
  body,
  event,
  secrets,
  now,
  toleranceMs = STALE_AFTER_MS,
  anyBody = false,
}: WebhookToCheck): WebhookCheck[] {
  const signed = readHeaders(headers)
  if (typeof signed === 'string') return [{ check: 'headers', problem: signed }]
  const { id, timestamp, signature } = signed
  const matches = isSignedWith({ headers, body }, secrets)
  const message = { id, timestamp, body }
  return [
    { check: 'headers', problem: null },
    { check: 'signature', problem: matches ? null : mismatch(message, signature, secrets) },
    { check: 'timestamp', problem: staleness(timestamp, now, toleranceMs) },
    ...(anyBody
      ? []
      : [{ check: 'event', problem: otherEvent(id, event ?? parseForeign(textOf(body))) } as const]),
  ]
}

/** Whether one of its signatures was made with one of these secrets, however old it is. */
export function isSignedWith(
  { headers, body }: Pick<WebhookToCheck, 'headers' | 'body'>,
  secrets: readonly string[],
): boolean {
  const signed = readHeaders(headers)
  if (typeof signed === 'string') return false
  const { id, timestamp, signature } = signed
  return secrets.some(secret => verifyWebhook({ id, timestamp, body }, signature, secret))
}

/** The first problem that a check found; null if all passed. */
export const problemOf = (checks: readonly WebhookCheck[]): string | null =>
  checks.find(({ problem }) => problem !== null)?.problem ?? null

function readHeaders(
  headers: WebhookHeaders,
): { readonly id: string; readonly timestamp: number; readonly signature: string } | string {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signature = headers['webhook-signature']
  if (typeof id !== 'string') return 'it has no webhook-id'
  if (typeof timestamp !== 'string') return 'it has no webhook-timestamp'
  if (!/^\d{1,15}$/.test(timestamp))
    return `its webhook-timestamp is ${shown(timestamp)} instead of seconds since 1970`
  if (typeof signature !== 'string') return 'it has no webhook-signature'
  return { id, timestamp: Number(timestamp), signature }
}

const LONGEST_SHOWN = 120
/** Strangers choose how long it is. */
const shown = (text: string) => (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)

function mismatch(
  message: { id: string; timestamp: number; body: string | Uint8Array },
  signature: string,
  secrets: readonly string[],
): string {
  const which = secrets.length === 1 ? "the endpoint's secret" : 'any of the secrets'
  const mistake = mistakeIn(message, signature, secrets)
  return `the signature ${shown(signature)} does not match the body and ${which}${mistake === null ? '' : `: ${mistake}`}`
}

/** Later than any signature, and earlier than the same time in milliseconds. */
const SURELY_MS = 100_000_000_000

function staleness(timestamp: number, now: number, toleranceMs: number): string | null {
  const age = now - timestamp * 1000
  if (Math.abs(age) <= toleranceMs) return null
  if (timestamp > SURELY_MS) return `the timestamp ${timestamp} is in milliseconds instead of seconds`
  const far = formatDuration(Math.round(Math.abs(age) / 1000) * 1000)
  const distance = age > 0 ? `it is ${far} old` : `it is ${far} in the future`
  return `the timestamp ${timestamp} is stale: ${distance}, and may be at most ${formatDuration(toleranceMs)} away`
}

const textOf = (body: string | Uint8Array) =>
  typeof body === 'string' ? body : Buffer.from(body).toString('utf8')

function otherEvent(id: string, event: unknown): string | null {
  const bodyId = isRecord(event) ? event.id : undefined
  return bodyId === id
    ? null
    : `the body has event ${shown(String(bodyId))}, but the header says ${shown(id)}`
}

/** A text that is not a webhook. The message completes a sentence that begins with its name. */
export class NoWebhookError extends Error {}

/** A webhook that somebody saved or pasted. */
export interface SavedWebhook {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** When it was received, if that was saved too. */
  readonly receivedAt?: number
}

/** Reads headers as lines or as JSON, with or without the body. A line that `webhooks listen` printed has both. */
export function readSavedWebhook(text: string): SavedWebhook {
  const written = text.replace(/^\uFEFF/, '')
  if (written.trim() === '') throw new NoWebhookError('is empty')
  return written.trimStart().startsWith('{') ? fromJson(written) : fromBlock(written)
}

function fromJson(written: string): SavedWebhook {
  const value = parse(written)
  const { headers, body, body_base64: bytes, received_at: receivedAt } = value
  if (typeof headers !== 'object' || headers === null) return { headers: texts(value) }
  const at = typeof receivedAt === 'string' ? Date.parse(receivedAt) : Number.NaN
  return {
    headers: texts(headers as Record<string, unknown>),
    ...(typeof bytes === 'string'
      ? { body: Buffer.from(bytes, 'base64') }
      : typeof body === 'string'
        ? { body }
        : {}),
    ...(Number.isNaN(at) ? {} : { receivedAt: at }),
  }
}

function parse(written: string): Record<string, unknown> {
  try {
    return JSON.parse(written)
  } catch (cause) {
    const lines = written.trim().split('\n').length
    const hint = lines > 1 ? `. It has ${lines} lines: give only one` : ''
    throw new NoWebhookError(
      `does not contain a JSON object: ${cause instanceof Error ? cause.message : cause}${hint}`,
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
function fromBlock(written: string): SavedWebhook {
  const [, head = written, rest] = /^(.*?)\r?\n\r?\n(.*)$/s.exec(written) ?? []
  const lines = head
    .split(/\r?\n/)
    .filter((line, at) => line !== '' && !(at === 0 && REQUEST_LINE.test(line)))
  const headers = Object.fromEntries(
    lines.map(line => {
      const [, key, value] = /^([^\s:]+):\s*(.*?)\s*$/.exec(line) ?? []
      if (key === undefined || value === undefined)
        throw new NoWebhookError(
          `has a line that is not a header such as webhook-id: evt_…: ${JSON.stringify(line.slice(0, 60))}`,
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
