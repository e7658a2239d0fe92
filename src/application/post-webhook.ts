import { Agent, type Dispatcher, request } from 'undici'
import { LIMITS } from '../contract/limits.ts'
import type { WebhookMessage } from './webhook-variants.ts'

/** What an application answered to a webhook. */
export interface WebhookReply {
  /** 0 if there was no answer. */
  readonly status: number
  /** The beginning of the answer's body, or the reason why there was no answer. */
  readonly answer: string
  /** When the application asks to be sent the webhook again. */
  readonly retryAfter?: string
}

const SHOWN_ANSWER = 500
/** How the reason begins if there was no answer in time. */
export const NO_ANSWER = 'no answer within'

export const isTimedOut = ({ status, answer }: WebhookReply) => status === 0 && answer.startsWith(NO_ANSWER)

/**
 * Idle connections end before any server ends them: one that is closed at the moment when it is used again would look
 * like a handler that throws. A new connection for each request would take a seventh more processor time.
 */
export const shortLivedConnections = () => new Agent({ keepAliveTimeout: 500, keepAliveMaxTimeout: 500 })

/** Posts a webhook, and waits for the answer as long as the gateway does. */
export async function postWebhook(
  url: string,
  { headers, body }: WebhookMessage,
  dispatcher: Dispatcher,
  withinMs: number = LIMITS.webhookTimeoutMs,
): Promise<WebhookReply> {
  try {
    const reply = await request(url, {
      dispatcher,
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(withinMs),
    })
    const answer = (await reply.body.text()).slice(0, SHOWN_ANSWER)
    const [retryAfter] = [reply.headers['retry-after']].flat()
    return { status: reply.statusCode, answer, ...(retryAfter === undefined ? {} : { retryAfter }) }
  } catch (cause) {
    return { status: 0, answer: whyLost(cause, withinMs) }
  }
}

const CLOSED = 'the connection was closed'
const REASONS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_DESTROYED: CLOSED,
  ECONNRESET: CLOSED,
  ECONNREFUSED: 'the connection was refused',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH:
    'the answer is not well-formed HTTP: its body is not as long as its content-length says, or a 204 has one',
}

/** Why a request to the application got no answer, in words. */
export function whyLost(cause: unknown, withinMs: number): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name === 'TimeoutError') return `${NO_ANSWER} ${Math.round(withinMs / 100) / 10} s`
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  return code === undefined ? cause.message : (REASONS[code] ?? code)
}

export const isSuccess = (status: number) => status >= 200 && status < 300
