import type { Dispatcher } from 'undici'
import { LIMITS } from '../contract/limits.ts'
import { NO_ANSWER, requestOnce } from './request-once.ts'
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

export const isTimedOut = ({ status, answer }: WebhookReply) => status === 0 && answer.startsWith(NO_ANSWER)

/** Posts a webhook, and waits for the answer as long as the gateway does. */
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
