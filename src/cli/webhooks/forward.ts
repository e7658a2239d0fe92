import type { ClientRequest, IncomingMessage } from 'node:http'
import { LIMITS } from '../../contract/limits.ts'
import type { IncomingWebhook } from '../../library/webhook-listener.ts'
import type { WebhookAnswer } from '../../library/webhooks.ts'
import type { Forwarded } from './deliveries.ts'

/** The webhook as it goes on, and what its sender is to be answered with. */
export interface Passed {
  readonly forwarded: Forwarded
  readonly answer: WebhookAnswer
}

/** What a gateway says whose application does not answer: the sender tries again. */
const BAD_GATEWAY = 502

/** Passes a webhook on, its headers and its bytes as they came, for as long as its sender waits. */
export async function forward(arrival: IncomingWebhook, url: URL, signal: AbortSignal): Promise<Passed> {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  try {
    const patience = AbortSignal.timeout(LIMITS.webhookTimeoutMs)
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...passedOn(arrival.rawHeaders), 'content-length': String(arrival.body.length) },
      signal: AbortSignal.any([signal, patience]),
      agent: false,
    })
    const { status, retryAfter, body } = await exchange(outgoing, arrival.body)
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

/** Headers that belong to the connection they came on. */
const HOP_BY_HOP = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
])

function passedOn(rawHeaders: readonly string[]): Record<string, string> {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []))
  return Object.fromEntries(pairs.filter(([name = '']) => !HOP_BY_HOP.has(name.toLowerCase())))
}

interface Said {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

function exchange(outgoing: ClientRequest, body: Buffer): Promise<Said> {
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject)
    outgoing.once('response', incoming => read(incoming).then(resolve, reject))
    outgoing.end(body)
  })
}

/** More than anybody looks at: an application may say anything, but not for ever. */
const MOST_BYTES = 64 * 1024

async function read(incoming: IncomingMessage): Promise<Said> {
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
  // An abort says why in its cause.
  const { cause: why = cause } = cause
  if (why instanceof Error && why.name === 'TimeoutError')
    return `no answer within ${LIMITS.webhookTimeoutMs / 1000} s`
  if (cause.name === 'AbortError') return 'listen ended first'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
