import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Account, type Json, succeeded } from '../gateway/merchant.ts'

export interface Delivery {
  path: string
  headers: Record<string, string>
  text: string
  event: Json
}

/** How to answer the nth delivery, counted from 1 at each path. */
export interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** The answer waits until this resolves. */
  after?: Promise<unknown>
  /** Closes the connection instead of answering. */
  reset?: boolean
}

interface Receiver {
  url: string
  deliveries: Delivery[]
  /** Deliveries that were answered completely. */
  answered: () => number
  at: (path: string) => Delivery[]
  reply: (decide: (nth: number, delivery: Delivery) => Reply) => void
  /** Resolves when this many deliveries have come. */
  arrived: (count: number) => Promise<Delivery[]>
}

/** A merchant's webhook receiver for one test. It has its own port and path, unless the test names them. */
export async function openReceiver({ port = 0, path: own = `/${randomUUID()}` } = {}): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  let decide: (nth: number, delivery: Delivery) => Reply = () => ({})
  let answered = 0

  const at = (path: string) => deliveries.filter(delivery => delivery.path === path)
  const receive = async (delivery: Delivery, response: ServerResponse) => {
    deliveries.push(delivery)
    for (const waiter of waiting) if (deliveries.length >= waiter.count) waiter.resolve()
    const reply = decide(at(delivery.path).length, delivery)
    await reply.after
    if (reply.reset) return response.socket?.resetAndDestroy()
    response.writeHead(reply.status ?? 204, reply.headers).end(reply.body, () => {
      answered += 1
    })
  }
  // Another test may have used this port before, and its webhooks may still arrive here.
  const server = createServer(async (request, response) => {
    if (!request.url?.startsWith(own)) return response.writeHead(404).end()
    const path = request.url.slice(own.length) || '/'
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const headers = request.headers as Record<string, string>
    await receive({ path, headers, text, event: JSON.parse(text) }, response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${own}`,
    deliveries,
    answered: () => answered,
    at,
    reply: next => {
      decide = next
    },
    arrived: async count => {
      if (deliveries.length < count) {
        await new Promise<void>(resolve => waiting.push({ count, resolve }))
      }
      return deliveries
    },
  }
}

/** Registers a webhook endpoint, for all default events unless some are given. */
export const subscribe = (account: Account, url: string, events?: string[]): Promise<Json> =>
  succeeded(
    account.control('POST', '/webhook-endpoints', { body: events === undefined ? { url } : { url, events } }),
  )

/** A receiver and an endpoint of the account that points to it. */
export async function listen(account: Account, events?: string[]) {
  const receiver = await openReceiver()
  return Object.assign(receiver, { endpoint: await subscribe(account, `${receiver.url}/hook`, events) })
}

/** Executes everything that is due now, without moving the clock. */
export const settle = (account: Account): Promise<Json> => account.advance('0s')
