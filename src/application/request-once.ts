import type { Dispatcher } from 'undici'
import request from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import { parseForeign } from '../contract/json.ts'
import { LIMITS } from '../contract/limits.ts'
import { flatHeaders, noAnswer, type ReceivedAnswer } from '../contract/wire-answer.ts'
import { boundedBody, EndlessBodyError } from './bounded-body.ts'
import { acceptsConnections } from './listening.ts'
import type { WebhookMessage } from './webhook-variants.ts'

interface OnceRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** A request to a path of the application. */
export interface ApplicationRequest extends OnceRequest {
  readonly path: string
}

/** @internal */
interface Terms {
  readonly withinMs: number
  readonly dispatcher: Dispatcher
}

/**
 * Sends one request to the application, once: there is one answer, or a reason why there is none.
 * @internal
 */
export async function requestOnce(
  url: string,
  { method, headers, body }: OnceRequest,
  { withinMs, dispatcher }: Terms,
): Promise<ReceivedAnswer> {
  try {
    const { origin, pathname, search } = new URL(url)
    const answer = await request.call(dispatcher, {
      origin,
      path: pathname + search,
      method: method as 'GET',
      headers,
      signal: AbortSignal.timeout(Math.ceil(withinMs)),
      ...(body === undefined ? {} : { body }),
    })
    const text = new TextDecoder().decode(await boundedBody(answer.body))
    return {
      status: answer.statusCode,
      headers: flatHeaders(answer.headers),
      text,
      body: parseForeign(text),
    }
  } catch (cause) {
    return noAnswer(whyLost(cause, withinMs))
  }
}

/**
 * Idle connections are closed before a server closes them. If a server closed one at the moment when it is used again,
 * that would look like a handler that throws. A new connection for each request takes a seventh more processor time.
 * @internal
 */
export const shortLivedConnections = () => new Agent({ keepAliveTimeout: 500, keepAliveMaxTimeout: 500 })

/** How the reason begins if there was no answer in time. */
export const NO_ANSWER = 'no answer within'

const CLOSED = 'the connection was closed'
const REASONS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_DESTROYED: CLOSED,
  ECONNRESET: CLOSED,
  ECONNREFUSED: 'the connection was refused',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH:
    'the answer is not well-formed HTTP: its body is not as long as its content-length says, or a 204 has one',
}

/** Why a request got no answer, in words. */
function whyLost(cause: unknown, withinMs: number): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause instanceof EndlessBodyError) return `the answer has no end: ${cause.message}`
  if (cause.name === 'TimeoutError') return `${NO_ANSWER} ${Math.round(withinMs / 100) / 10} s`
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  return code === undefined ? cause.message : (REASONS[code] ?? code)
}

/** The request that gets a 2xx once an application is ready. */
export interface ReadyRequest {
  readonly method: string
  readonly path: string
}

const READY_WITHIN_MS = 2000
const asking = shortLivedConnections()

/** Why an application is not ready, if it is not. Without a request, its port must accept connections. */
export async function whyNotReady(url: string, ready: ReadyRequest | undefined): Promise<string | undefined> {
  if (!ready) {
    const { protocol, hostname, port } = new URL(url)
    const number = Number(port || (protocol === 'https:' ? 443 : 80))
    const isUp = await acceptsConnections(hostname.replace(/^\[|\]$/g, ''), number)
    return isUp ? undefined : 'nothing accepts connections there'
  }
  const { method, path } = ready
  const { status, lost } = await requestOnce(
    url + path,
    { method, headers: {} },
    { withinMs: READY_WITHIN_MS, dispatcher: asking },
  )
  if (isSuccess(status)) return undefined
  return `${method} ${path} ${lost === undefined ? `answered ${status}` : `got no answer: ${lost}`}`
}

export const isSuccess = (status: number) => status >= 200 && status < 300

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

export const isTimedOut = ({ status, answer }: WebhookReply) => status === 0 && answer.startsWith(NO_ANSWER)

/**
 * Posts a webhook, and waits for the answer as long as the gateway does.
 * @internal
 */
export async function postWebhook(
  url: string,
  { headers, body }: WebhookMessage,
  dispatcher: Dispatcher,
  withinMs: number = LIMITS.webhookTimeoutMs,
): Promise<WebhookReply> {
  const sent = { method: 'POST', headers, body }
  const { status, text, headers: answered, lost } = await requestOnce(url, sent, { dispatcher, withinMs })
  if (lost !== undefined) return { status, answer: lost }
  const retryAfter = answered['retry-after']
  return { status, answer: text.slice(0, SHOWN_ANSWER), ...(retryAfter === undefined ? {} : { retryAfter }) }
}
