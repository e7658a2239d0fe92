/// <reference path="./undici-parts.d.ts" />
import type { Agent } from 'undici'
import { WebhookHostError, type WebhookHosts } from './webhook-hosts.ts'

export interface WebhookRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal: AbortSignal
}

/** Posts webhooks to hosts that they may go to, and connects to no other. All accounts share its connections. */
export class WebhookSender {
  #agent: Agent | undefined

  constructor(private readonly hosts: WebhookHosts) {}

  async send({ url, headers, body, signal }: WebhookRequest) {
    const target = new URL(url)
    // An endpoint may come from an import, or from a server that was started with other hosts allowed.
    const problem = this.hosts.problem(target)
    if (problem !== undefined) throw new WebhookHostError(problem)
    // Loaded with the first webhook: most starts never send one.
    const { default: Agent } = await import('undici/lib/dispatcher/agent.js')
    const { default: request } = await import('undici/lib/api/api-request.js')
    this.#agent ??= new Agent({ connect: { lookup: this.hosts.lookup } })
    const { origin, pathname, search } = target
    const path = `${pathname}${search}`
    const answer = await request.call(this.#agent, { origin, path, method: 'POST', headers, body, signal })
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], body: answer.body }
  }

  /** Ends the connections that are kept for the next webhook. */
  async close(): Promise<void> {
    await this.#agent?.destroy()
  }
}
