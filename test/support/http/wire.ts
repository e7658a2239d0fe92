import { request } from 'node:http'
import type { Account, Json } from '../gateway/merchant.ts'
import type { Server } from '../gateway/server.ts'
import { paymentBody } from '../payments/payments.ts'
import { basic } from './raw-http.ts'

/** What came back over a new connection, even if it is incomplete. */
export interface WireAnswer {
  /** Undefined if the connection ended without an answer. */
  status: number | undefined
  headers: Record<string, string>
  text: string
  /** The parsed text; undefined if it is not JSON. */
  body: Json
  /** Whether the answer is complete. */
  whole: boolean
  /** The number of pieces of the body. */
  pieces: number
  ms: number
}

export interface Said {
  body?: unknown
  raw?: Uint8Array
  headers?: Record<string, string>
}

/** Calls the merchant API, and accepts closed connections and damaged answers. */
export function callOnWire(
  server: Server,
  account: Account,
  method: string,
  path: string,
  said: Said = {},
): Promise<WireAnswer> {
  const started = performance.now()
  const bytes = said.raw ?? (said.body === undefined ? undefined : Buffer.from(JSON.stringify(said.body)))
  const headers: Record<string, string> = { authorization: basic(account.keys), ...said.headers }
  if (said.body !== undefined) headers['content-type'] ??= 'application/json'
  if (bytes) headers['content-length'] = String(bytes.length)
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let answered: { status: number | undefined; headers: Record<string, string> } = {
      status: undefined,
      headers: {},
    }
    const end = (whole: boolean) => {
      const text = Buffer.concat(chunks).toString('utf8')
      const ms = performance.now() - started
      resolve({ ...answered, text, body: parsed(text), whole, pieces: chunks.length, ms })
    }
    const asked = request(`${server.url}${path}`, { method, headers, agent: false }, response => {
      answered = { status: response.statusCode, headers: response.headers as Record<string, string> }
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', () => {})
      response.once('close', () => end(response.complete))
    })
    asked.once('error', () => end(false))
    asked.end(bytes)
  })
}

/** A create request, with its answer as it arrives. */
export const createOnWire = (
  server: Server,
  account: Account,
  key?: string,
  changes?: Record<string, unknown>,
) =>
  callOnWire(server, account, 'POST', '/payment_intents', {
    body: paymentBody(changes),
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
