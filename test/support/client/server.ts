import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: Buffer
  /** The number of its connection, counted from 1. */
  connection: number
}

export type Respond = (response: ServerResponse, seen: Seen, count: number) => void

export interface LocalServer {
  url: string
  port: number
  seen: Seen[]
}

/** A server for this test: reads each request completely, stores it, and lets the test answer it. */
export async function serve(respond: Respond): Promise<LocalServer> {
  const { seen, listener } = recording(respond)
  const server = createServer(listener)
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}`, port, seen }
}

export function recording(respond: Respond): { seen: Seen[]; listener: RequestListener } {
  const seen: Seen[] = []
  const connections = new Map<unknown, number>()
  const listener: RequestListener = async (request, response) => {
    const { method = '', url = '', headers, socket } = request
    if (!connections.has(socket)) connections.set(socket, connections.size + 1)
    const connection = connections.get(socket) ?? 0
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    seen.push({ method, url, headers, body: Buffer.concat(chunks), connection })
    respond(response, seen[seen.length - 1] as Seen, seen.length)
  }
  return { seen, listener }
}

interface Listening {
  listen(port: number, host: string, done: () => void): unknown
  address(): AddressInfo | string | null
  close(): unknown
  closeAllConnections?(): void
}

/** On any free port, until the test has ended. */
export async function listen(server: Listening): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections?.()
  })
  return (server.address() as AddressInfo).port
}

/** A port that nothing listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

export function json(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

export const nestedError = (code: string, message = 'No.') => ({
  error: { code, message, details: [], request_id: 'req_1' },
})
