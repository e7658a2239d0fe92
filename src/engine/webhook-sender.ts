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

  async send({ url, ...rest }: WebhookRequest) {
    const target = new URL(url)
    // An endpoint may come from an import, or from a server that was started with other hosts allowed.
    const problem = this.hosts.problem(target)
    if (problem !== undefined) throw new WebhookHostError(problem)
    // Loaded with the first webhook: most starts never send one.
    const { Agent, request } = await import('undici')
    this.#agent ??= new Agent({ connect: { lookup: this.hosts.lookup } })
    const answer = await request(target, { ...rest, dispatcher: this.#agent, method: 'POST' })
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], body: answer.body }
  }

  /** Ends the connections that are kept for the next webhook. */
  async close(): Promise<void> {
    await this.#agent?.destroy()
  }
}
