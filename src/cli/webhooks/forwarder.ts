import type { ClientRequest, IncomingMessage } from 'node:http'
import { LIMITS } from '../../contract/limits.ts'
import { HOP_BY_HOP } from '../../contract/wire-answer.ts'
import type { IncomingWebhook } from '../../library/webhook-receiver.ts'
import type { ReceivedEvent, WebhookAnswer } from '../../library/webhooks.ts'
import { type DeliveryPrinter, deliveryOf, type Forwarded } from './deliveries.ts'

interface ForwarderOptions {
  readonly printer: DeliveryPrinter
  readonly forwardTo: URL | undefined
  /** How many webhooks to take before `onFull` is called. */
  readonly count: number | undefined
  readonly onFull: () => void
  /** Aborted when nothing more is to be taken. */
  readonly signal: AbortSignal
}

/** Takes webhooks one by one: shows the webhook, forwards it, answers. */
export class WebhookForwarder {
  #started = 0
  #warnedOfRefusal = false
  /** How many webhooks were answered. */
  taken = 0

  constructor(private readonly options: ForwarderOptions) {}

  async take(event: ReceivedEvent, incoming: IncomingWebhook): Promise<WebhookAnswer> {
    const { printer, forwardTo, count = Number.POSITIVE_INFINITY, onFull, signal } = this.options
    // With 503, the simulator tries again later: another `listen` may take it then.
    if (signal.aborted || this.#started >= count) return { status: 503 }
    this.#started += 1
    const receivedAt = new Date()
    await printer.arrived(event, receivedAt)
    const passed = forwardTo && (await forward(incoming, forwardTo, signal))
    const answer = passed?.answer ?? { status: 200 }
    const { status: answered = 200 } = answer
    const forwarded = passed?.forwarded ?? null
    await printer.answered(deliveryOf(event, { received_at: receivedAt.toISOString(), forwarded, answered }))
    if (answered === 410)
      process.stderr.write(
        'paysim: answered 410 Gone: the simulator sends no more webhooks to this endpoint\n',
      )
    if (event.problem === null && passed) this.#warnOfRefusal(answered)
    this.taken += 1
    if (this.taken >= count) onFull()
    return answer
  }

  /** A refused webhook makes people look at its signature first: say once that the signature is valid. */
  #warnOfRefusal(status: number): void {
    if (this.#warnedOfRefusal || status < 400 || status > 499 || status === 410) return
    this.#warnedOfRefusal = true
    process.stderr.write(
      `paysim: your application answered ${status}, but the signature was valid. If it rejected the signature, check that it uses this secret (--print-secret) and verifies the body byte for byte\n`,
    )
  }
}

/** The forwarded webhook, and the answer for the simulator. */
interface ForwardResult {
  readonly forwarded: Forwarded
  readonly answer: WebhookAnswer
}

/** The answer if the application does not answer: the simulator tries again later. */
const BAD_GATEWAY = 502

/** Forwards a webhook with its original headers and bytes, for as long as the simulator waits. */
async function forward(webhook: IncomingWebhook, url: URL, signal: AbortSignal): Promise<ForwardResult> {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  try {
    const patience = AbortSignal.timeout(LIMITS.webhookTimeoutMs)
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...endToEndHeaders(webhook.rawHeaders), 'content-length': String(webhook.body.length) },
      signal: AbortSignal.any([signal, patience]),
      agent: false,
    })
    const { status, retryAfter, body } = await exchange(outgoing, webhook.body)
    return {
      forwarded: { url: url.href, status, error: null, ms: ms() },
      answer: { status, body, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } },
    }
  } catch (cause) {
    const error = reasonOf(cause)
    return {
      forwarded: { url: url.href, status: null, error, ms: ms() },
      answer: { status: BAD_GATEWAY, body: `not forwarded: ${error}` },
    }
  }
}

/** They are made anew for the application. */
const OWN_HEADERS: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'content-length', 'host'])

function endToEndHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []))
  return Object.fromEntries(pairs.filter(([name = '']) => !OWN_HEADERS.has(name.toLowerCase())))
}

interface Reply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

function exchange(outgoing: ClientRequest, body: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject)
    outgoing.once('response', incoming => read(incoming).then(resolve, reject))
    outgoing.end(body)
  })
}

/** More than anybody reads: an application may send an endless answer. */
const MOST_BYTES = 64 * 1024

async function read(incoming: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MOST_BYTES) break
  }
  return {
    status: incoming.statusCode ?? BAD_GATEWAY,
    retryAfter: incoming.headers['retry-after'],
    body: Buffer.concat(chunks).toString('utf8', 0, MOST_BYTES),
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  // The cause of an abort names the reason.
  const { cause: why = cause } = cause
  if (why instanceof Error && why.name === 'TimeoutError')
    return `no answer within ${LIMITS.webhookTimeoutMs / 1000} s`
  if (cause.name === 'AbortError') return '`webhooks listen` stopped first'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
