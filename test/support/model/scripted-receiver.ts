import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly endpoint: string
  readonly headers: Record<string, string>
  readonly body: string
  /** Null if the connection was closed. */
  readonly status: number | null
}

/** A merchant's server on this machine. Each path has a list of answers; null closes the connection. */
export async function openReceiver() {
  const received: Received[] = []
  const scripts = new Map<string, readonly (number | null)[]>()
  const server = createServer(async (request, response) => {
    const endpoint = (request.url ?? '').slice(1)
    const body = await read(request)
    const script = scripts.get(endpoint) ?? []
    const turn = received.filter(earlier => earlier.endpoint === endpoint).length
    const status = script[turn % script.length] ?? null
    received.push({ endpoint, headers: request.headers as Record<string, string>, body, status })
    if (status === null) request.socket.destroy()
    else response.writeHead(status, status === 429 ? { 'retry-after': '7' } : {}).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    received,
    url(script: readonly (number | null)[]): string {
      const endpoint = `endpoint-${scripts.size}`
      scripts.set(endpoint, script)
      return `http://127.0.0.1:${port}/${endpoint}`
    },
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
