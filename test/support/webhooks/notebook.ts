import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A webhook receiver that runs longer than a test. It accepts everything, and records ids and bodies in order. */
export interface Notebook {
  url: string
  notes: string[]
  close: () => void
}

export async function openNotebook(): Promise<Notebook> {
  const notes: string[] = []
  const server = createServer(async (request, response) => {
    notes.push(`${request.headers['webhook-id']} ${await text(request)}`)
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    notes,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
