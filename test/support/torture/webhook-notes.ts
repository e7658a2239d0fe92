import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** A receiver that runs longer than the servers. It keeps the first body of each event, and problems of later ones. */
export class WebhookNotes {
  readonly bodies = new Map<string, string>()
  readonly wrong: string[] = []
  deliveries = 0
  /** The secret of each endpoint, by its path. */
  readonly secrets = new Map<string, string>()
  // It closes no idle connection, because an attempt that uses it at that moment would fail and be repeated late.
  readonly #server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    this.#note(request.url ?? '', request.headers as Record<string, string>, body)
    response.writeHead(204).end()
  })

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #note(path: string, headers: Record<string, string>, body: string): void {
    this.deliveries++
    const id = headers['webhook-id'] ?? ''
    const before = this.bodies.get(id)
    if (before !== undefined && before !== body)
      this.wrong.push(`event ${id} had another body: ${before} | ${body}`)
    this.bodies.set(id, before ?? body)
    const secret = this.secrets.get(path)
    if (secret === undefined) return
    try {
      new Webhook(secret).verify(body, headers)
    } catch (cause) {
      this.wrong.push(`event ${id} has a wrong signature: ${cause}`)
    }
  }
}
