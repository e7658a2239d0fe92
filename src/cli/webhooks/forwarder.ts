import type { ClientRequest, IncomingMessage } from 'node:http'
import { LIMITS } from '../../contract/limits.ts'
import { HOP_BY_HOP } from '../../contract/wire-answer.ts'
import type { IncomingWebhook, ReceivedEvent, WebhookAnswer } from '../../library/webhook-receiver.ts'
import { type DeliveryPrinter, deliveryOf, type Forwarded, warn } from './deliveries.ts'
import type { SaveFolder } from './saved.ts'

interface ForwarderOptions {
  readonly printer: DeliveryPrinter
  readonly saving: SaveFolder | undefined
  readonly forwardTo: URL | undefined
  /** Whether a webhook that is not verified is taken like the others, as an application must refuse it too. */
  readonly takesUnverified: boolean
  /** How many webhooks to take before `onFull` is called. */
  readonly count: number | undefined
  readonly onFull: () => void
  /** Aborted when nothing more is to be taken. */
  readonly signal: AbortSignal
}

/** A gateway may send a webhook twice at once. More of one signature means that it comes back each time it is forwarded. */
const MOST_AT_ONCE = 4

/** Takes webhooks one by one: shows the webhook, saves and forwards it, answers. */
export class WebhookForwarder {
  #started = 0
  #warnedOfRefusal = false
  #warnedOfLoop = false
  /** How many webhooks with the same signature are not answered yet. */
  readonly #underWay = new Map<string, number>()
  /** How many webhooks were answered. */
  taken = 0

  constructor(private readonly options: ForwarderOptions) {}

  async take(event: ReceivedEvent, incoming: IncomingWebhook): Promise<WebhookAnswer> {
    const { count = Number.POSITIVE_INFINITY, signal } = this.options
    // With 503, the gateway tries again later: another process may take it then.
    if (signal.aborted || this.#started >= count) return { status: 503 }
    const same = `${event.id} ${incoming.headers['webhook-signature']}`
    const before = this.#underWay.get(same) ?? 0
    if (before >= MOST_AT_ONCE) return this.#refuseLoop()
    this.#underWay.set(same, before + 1)
    try {
      return await this.#takeOne(event, incoming)
    } finally {
      const left = (this.#underWay.get(same) ?? 1) - 1
      if (left > 0) this.#underWay.set(same, left)
      else this.#underWay.delete(same)
    }
  }

  async #takeOne(event: ReceivedEvent, incoming: IncomingWebhook): Promise<WebhookAnswer> {
    const { printer, count = Number.POSITIVE_INFINITY, onFull } = this.options
    const receivedAt = new Date()
    await printer.arrived(event, receivedAt)
    const isTaken = event.problem === null || this.options.takesUnverified
    if (isTaken) this.#started += 1
    const { answer, ...done } = isTaken ? await this.#passOn(event, incoming, receivedAt) : NOT_VERIFIED
    const { status: answered = 200 } = answer
    await printer.answered(
      deliveryOf(event, { ...done, received_at: receivedAt.toISOString(), answered, bytes: incoming.body }),
    )
    if (!isTaken) return answer
    if (answered === 410) warn('answered 410 Gone: the gateway may send no more webhooks to this endpoint')
    if (event.problem === null && done.forwarded) this.#warnOfRefusal(answered)
    this.taken += 1
    if (this.taken >= count) onFull()
    return answer
  }

  async #passOn(event: ReceivedEvent, incoming: IncomingWebhook, receivedAt: Date): Promise<Passed> {
    const { saving, forwardTo, signal } = this.options
    const saved = saving ? await saving.save(event, incoming.body, receivedAt) : null
    if (forwardTo) return { saved, ...(await forward(incoming, forwardTo, signal)) }
    // Nobody has it then, so it must be sent again.
    const isLost = saving !== undefined && saved === null
    return { saved, forwarded: null, answer: { status: isLost ? 503 : 200 } }
  }

  #refuseLoop(): WebhookAnswer {
    if (!this.#warnedOfLoop)
      warn(
        `${this.options.forwardTo?.href ?? 'the forward URL'} leads back to this receiver: give another --forward-to`,
      )
    this.#warnedOfLoop = true
    return { status: 508 }
  }

  /** A refused webhook makes people look at its signature first: say once that the signature is valid. */
  #warnOfRefusal(status: number): void {
    if (this.#warnedOfRefusal || status < 400 || status > 499 || status === 410) return
    this.#warnedOfRefusal = true
    warn(
      `your application answered ${status}, but the signature was valid. If it rejected the signature, check that it uses the same secret and verifies the body byte for byte`,
    )
  }
}

/** What was done with a webhook, and the answer for the gateway. */
interface Passed extends ForwardResult {
  /** The file that it was saved in. */
  readonly saved: string | null
}

/** It does not say why, since the sender may be a stranger. */
const NOT_VERIFIED = {
  saved: null,
  forwarded: null,
  answer: { status: 400, body: 'the webhook is not verified' },
} as const

/** The forwarded webhook, and the answer for the gateway. */
interface ForwardResult {
  readonly forwarded: Forwarded | null
  readonly answer: WebhookAnswer
}

/** The answer if the application does not answer: the gateway tries again later. */
const BAD_GATEWAY = 502

/** Forwards a webhook with its original headers and bytes, for as long as the gateway waits. */
async function forward(webhook: RawWebhook, url: URL, signal: AbortSignal): Promise<ForwardResult> {
  const { status, error, ms, retryAfter, body } = await postRaw(webhook, url, signal)
  return {
    forwarded: { url: url.href, status, error, ms },
    answer:
      status === null
        ? { status: BAD_GATEWAY, body: `not forwarded: ${error}` }
        : { status, body, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } },
  }
}

/** A webhook as it is sent: its headers, names and values in turn, and its bytes. */
type RawWebhook = Pick<IncomingWebhook, 'rawHeaders' | 'body'>

interface Reply {
  readonly status: number | null
  /** Why there is no answer. */
  readonly error: string | null
  readonly ms: number
  readonly retryAfter?: string | undefined
  /** Its beginning, if it is long. */
  readonly body: string
}

/** Posts a webhook, byte for byte, and waits for the answer as long as the gateway does. */
export async function postRaw(
  { rawHeaders, body }: RawWebhook,
  url: URL,
  signal: AbortSignal,
): Promise<Reply> {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  try {
    const patience = AbortSignal.timeout(LIMITS.webhookTimeoutMs)
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...endToEndHeaders(rawHeaders), 'content-length': String(body.length) },
      signal: AbortSignal.any([signal, patience]),
      agent: false,
    })
    return { ...(await exchange(outgoing, body)), error: null, ms: ms() }
  } catch (cause) {
    return { status: null, error: reasonOf(cause), ms: ms(), body: '' }
  }
}

/** They are made anew for the application. */
const OWN_HEADERS: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'content-length', 'host'])

function endToEndHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const headers = new Map<string, [name: string, values: string[]]>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    const same = name.toLowerCase()
    if (OWN_HEADERS.has(same)) continue
    const [, values] = headers.get(same) ?? []
    if (values) values.push(value)
    else headers.set(same, [name, [value]])
  }
  return Object.fromEntries(headers.values())
}

type Answered = Pick<Reply, 'retryAfter' | 'body'> & { readonly status: number }

function exchange(outgoing: ClientRequest, body: Buffer): Promise<Answered> {
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject)
    outgoing.once('response', incoming => read(incoming).then(resolve, reject))
    outgoing.end(body)
  })
}

/** More than anybody reads: an application may send an endless answer. */
const MOST_BYTES = 64 * 1024

async function read(incoming: IncomingMessage): Promise<Answered> {
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
  if (cause.name === 'AbortError') return 'paysim stopped first'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
