import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { WebhookAnswer } from './webhooks.ts'

/** A webhook exactly as it was received. */
export interface IncomingWebhook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, in their original case. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

type Answerer = (arrival: IncomingWebhook) => Promise<WebhookAnswer | undefined>

export interface WebhookListener {
  /** Without a path. */
  readonly url: string
  /** Call it once, before anybody knows the address. */
  answerWith(answer: Answerer): void
  /** Resolves when all received webhooks are answered. */
  idle(): Promise<void>
  /** Closes open connections. */
  close(): Promise<void>
}

/** Listens for webhooks on this machine only, on a free port unless one is given. */
export async function listenForWebhooks(port = 0): Promise<WebhookListener> {
  const underWay = new Set<Promise<void>>()
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}`,
    answerWith(answer) {
      server.on('request', (request, response) => {
        const over = new Promise<void>(resolve => response.once('close', resolve))
        underWay.add(over)
        over.then(() => underWay.delete(over))
        reply(request, response, answer).catch(() => response.destroy())
      })
    },
    async idle() {
      await Promise.all(underWay)
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function reply(request: IncomingMessage, response: ServerResponse, answer: Answerer): Promise<void> {
  const { url = '/', headers, rawHeaders } = request
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const given = await answer({ path: url, headers, rawHeaders, body: Buffer.concat(chunks) })
  if (given?.reset) return void request.socket.resetAndDestroy()
  response.writeHead(given?.status ?? 204, { ...given?.headers }).end(given?.body)
}
