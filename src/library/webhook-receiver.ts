import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { ArgumentError } from '../client/errors.ts'
import { type EventName, eventMeant, OPTIONAL_EVENTS, STANDARD_EVENTS } from '../contract/event-names.ts'
import { isRecord, parseForeign } from '../contract/json.ts'
import { LIMITS } from '../contract/limits.ts'
import { checkWebhook, problemOf } from '../contract/webhook-check.ts'

/** The webhooks of a test: received ones, waiting for more, and the responses to them. */

/** The record as it was when the event happened. */
export interface EventSubject {
  readonly id: string
  readonly object: 'payment_intent' | 'payout_intent'
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly merchant_reference: string | null
  readonly [member: string]: unknown
}

export interface ReceivedEvent {
  /** The id of the event, which is the same for each of its deliveries. */
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly environment: 'test' | 'live'
  readonly data: EventSubject
  /** Which delivery of this event it is, counted from 1. */
  readonly delivery: number
  /** The wall time of its signature in seconds. */
  readonly signedAt: number
  readonly headers: IncomingHttpHeaders
  /** The exact bytes. */
  readonly body: string
  /** The problem of its signature; null if it is valid. */
  readonly problem: string | null
}

/**
 * What an event must have: its `type` (one or several), and members of its `data` by path, such as `{ type:
 * 'payment.succeeded', id: payment.id, 'recipient.bank_code': 'bbl' }`.
 */
export type EventMatch =
  | { readonly type?: EventName | readonly EventName[]; readonly [path: string]: unknown }
  | ((event: ReceivedEvent) => boolean)

export interface WebhookAnswer {
  /** 204 by default. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Closes the connection without a response. */
  readonly reset?: boolean
}

/** `nth` counts deliveries from 1, since this response was set. A promise delays the response. */
export type WebhookResponder = (
  event: ReceivedEvent,
  nth: number,
) => WebhookAnswer | undefined | Promise<WebhookAnswer | undefined>

export interface Webhooks {
  /** The address of the account's own receiver. */
  readonly url: string
  readonly endpoint: { readonly id: string; readonly url: string; readonly secret: string }
  /**
   * Returns the oldest event that matches and was not returned before, and waits for it if necessary. Rejects after 5
   * s, and once for each event with an invalid signature.
   */
  next(match?: EventMatch, options?: { readonly timeoutMs?: number }): Promise<ReceivedEvent>
  /** All received webhooks in order, whether `next()` returned them or not. */
  all(): ReceivedEvent[]
  /** Sets the response to later deliveries. */
  respond(answer: WebhookAnswer | WebhookResponder): void
}

/** A webhook with an invalid signature. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError'

  constructor(readonly event: ReceivedEvent) {
    super(`the webhook ${event.type} ${event.id} is not signed by this account's endpoint: ${event.problem}`)
  }
}

/** The expected webhook did not arrive. */
export class WebhookTimeoutError extends Error {
  override readonly name = 'WebhookTimeoutError'
}

const EVENTS: readonly string[] = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS]

/** An unknown event would never arrive, so it is refused at once. */
export function demandEvents(match: EventMatch | undefined): void {
  if (match === undefined || typeof match === 'function') return
  for (const name of [match.type ?? []].flat()) {
    if (EVENTS.includes(name)) continue
    const meant = eventMeant(name)
    throw new ArgumentError(
      `there is no event ${name}; ${meant ? `did you mean ${meant}?` : `there are ${EVENTS.join(', ')}`}`,
    )
  }
}

export function matchesEvent(match: EventMatch, event: ReceivedEvent): boolean {
  if (typeof match === 'function') return match(event)
  return Object.entries(match).every(([path, wanted]) => {
    if (path === 'type') return [wanted].flat().includes(event.type)
    const value = path === 'data' ? event.data : at(event.data, path.replace(/^data\./, ''))
    return holds(wanted, value)
  })
}

/** A member by its path, such as `recipient.bank_code`. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((of, name) => (isRecord(of) && Object.hasOwn(of, name) ? of[name] : undefined), value)
}

/** An object must have only the given members; others are ignored. */
function holds(wanted: unknown, value: unknown): boolean {
  if (wanted instanceof RegExp) return typeof value === 'string' && wanted.test(value)
  if (isRecord(wanted) && isRecord(value))
    return Object.entries(wanted).every(([name, member]) => holds(member, value[name]))
  return isDeepStrictEqual(wanted, value)
}

export function describeMatch(match: EventMatch | undefined): string {
  if (match === undefined) return 'webhook'
  if (typeof match === 'function') return 'webhook that matches'
  const parts = Object.entries(match).map(
    ([path, wanted]) => `${path} ${wanted instanceof RegExp ? wanted : JSON.stringify(wanted)}`,
  )
  return `webhook with ${parts.join(', ')}`
}

/** A webhook exactly as it was received. */
export interface IncomingWebhook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, in their original case. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

type Maybe<T> = T | undefined
type MaybePromise<T> = T | Promise<T>

/** Handles the webhooks of one URL. */
export interface WebhookHandler {
  /** The secrets to check signatures with. One must match. */
  secrets(webhook: IncomingWebhook): MaybePromise<readonly string[]>
  /** Answers a webhook; 204 if it returns nothing. */
  take(event: ReceivedEvent, webhook: IncomingWebhook): MaybePromise<Maybe<WebhookAnswer>>
  /** For webhooks of any gateway: what to ask of them. By default, they are events of this API, and recent. */
  readonly checks?: { readonly anyBody?: boolean; readonly toleranceMs?: number | undefined }
}

interface ReceiverSettings {
  readonly port?: number | undefined
  /** The largest body. */
  readonly most?: number
}

/** For all paths that have no handler of their own. */
export const ANY_PATH = '*'

/** Strangers may reach a receiver through a tunnel, and send slowly, endlessly or much at once. */
const MOST_HELD = 64 * 1024 * 1024
const HEADERS_WITHIN_MS = 10_000
const REQUEST_WITHIN_MS = 30_000
/** How much of a body that was refused is still read, and for how long. */
const READS_ON_BYTES = 8 * 1024 * 1024
const READS_ON_MS = 1_000
/** How many events to count the deliveries of, and how long the id of such an event may be. */
const MOST_COUNTED = 10_000
const LONGEST_COUNTED = 256

/** An address of a receiver. */
export interface WebhookAddress {
  readonly url: string
  /** Restarts the count of deliveries of each event. */
  startCounting(): void
  /** Cuts off webhooks that are not answered yet. From now on, they get the answer that the URL is gone. */
  close(): void
}

interface OpenAddress {
  readonly handler: WebhookHandler
  readonly deliveries: Map<string, number>
  /** The connections of webhooks that are not answered yet. */
  readonly waiting: Set<Socket>
}

/** Receives webhooks on this machine, on any free port by default: checks, counts and answers them. */
export class WebhookReceiver {
  readonly #addresses = new Map<string, OpenAddress>()
  /** The webhooks that arrived in full and are not answered yet. */
  readonly #underWay = new Set<Promise<void>>()
  /** The bytes of the bodies that are in memory. */
  #held = 0

  private constructor(
    /** The base URL, without a path. */
    readonly url: string,
    private readonly server: Server,
    private readonly most: number,
  ) {
    server.on('request', (request, response) => {
      this.#reply(request, response).catch(() => response.destroy())
    })
  }

  static async open({ port = 0, most = LIMITS.body }: ReceiverSettings = {}): Promise<WebhookReceiver> {
    const server = createServer({
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      connectionsCheckingInterval: HEADERS_WITHIN_MS / 2,
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const bound = typeof address === 'object' && address ? address.port : port
    return new WebhookReceiver(`http://127.0.0.1:${bound}`, server, most)
  }

  /** Opens an address below the receiver's URL. */
  add(path: string, handler: WebhookHandler): WebhookAddress {
    const deliveries = new Map<string, number>()
    const waiting = new Set<Socket>()
    this.#addresses.set(path, { handler, deliveries, waiting })
    return {
      url: this.url + path,
      startCounting: () => deliveries.clear(),
      close: () => {
        this.#addresses.delete(path)
        for (const socket of waiting) socket.destroy()
      },
    }
  }

  /** Resolves when all received webhooks are answered. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  /** Closes open connections. */
  async close(): Promise<void> {
    const closed = new Promise(resolve => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: path = '/', headers, rawHeaders, socket } = request
    if (method !== 'POST') return void response.writeHead(405, { allow: 'POST', connection: 'close' }).end()
    const holding = { bytes: 0 }
    try {
      const body = await this.#read(request, holding)
      if (typeof body === 'number') return refuse(request, response, body)
      const over = new Promise<void>(resolve => response.on('close', resolve))
      this.#underWay.add(over)
      over.then(() => this.#underWay.delete(over))
      const waiting = this.#addresses.get(path)?.waiting.add(socket)
      const answer = await this.#answer({ path, headers, rawHeaders, body }).finally(() =>
        waiting?.delete(socket),
      )
      if (answer?.reset) return void socket.resetAndDestroy()
      response.writeHead(answer?.status ?? 204, { ...answer?.headers }).end(answer?.body)
    } finally {
      this.#held -= holding.bytes
    }
  }

  /** The body, or the status that refuses it. */
  #read(request: IncomingMessage, holding: { bytes: number }): Promise<Buffer | number> {
    if (Number(request.headers['content-length'] ?? 0) > this.most) return Promise.resolve(413)
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      const take = (chunk: Buffer) => {
        chunks.push(chunk)
        holding.bytes += chunk.length
        this.#held += chunk.length
        const refusal = holding.bytes > this.most ? 413 : this.#held > MOST_HELD ? 503 : undefined
        if (refusal === undefined) return
        // `refuse` reads on.
        request.off('data', take)
        resolve(refusal)
      }
      request.on('data', take)
      request.on('end', () => resolve(Buffer.concat(chunks))).on('error', reject)
    })
  }

  async #answer(webhook: IncomingWebhook): Promise<Maybe<WebhookAnswer>> {
    const open = this.#addresses.get(webhook.path) ?? this.#addresses.get(ANY_PATH)
    if (!open) return { status: 410 }
    const secrets = await open.handler.secrets(webhook)
    return open.handler.take(readEvent(webhook, secrets, open), webhook)
  }
}

/**
 * Answers before the body has ended. The sender goes on for a while: a connection that closes with bytes that nobody read
 * may take the answer with it.
 */
function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).flushHeaders()
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, READS_ON_MS)
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > READS_ON_BYTES) end()
  })
  request.once('end', end).once('close', end)
}

/** The event in a webhook, with the problem of its signature if there is one. */
function readEvent(
  { headers, body: bytes }: IncomingWebhook,
  secrets: readonly string[],
  { deliveries, handler }: OpenAddress,
): ReceivedEvent {
  const body = bytes.toString('utf8')
  const event = parseForeign(body)
  const { id: bodyId, type, timestamp, environment, data } = isRecord(event) ? event : {}
  const id = String(headers['webhook-id'] ?? bodyId ?? '')
  const delivery = (deliveries.get(id) ?? 0) + 1
  if (id.length <= LONGEST_COUNTED) deliveries.set(id, delivery)
  if (deliveries.size > MOST_COUNTED) {
    const [oldest] = deliveries.keys()
    if (oldest !== undefined) deliveries.delete(oldest)
  }
  const checks = checkWebhook({ headers, body: bytes, event, secrets, now: Date.now(), ...handler.checks })
  return {
    id,
    type: String(type ?? ''),
    timestamp: String(timestamp ?? ''),
    environment: environment === 'live' ? 'live' : 'test',
    data: (isRecord(data) ? data : {}) as EventSubject,
    delivery,
    signedAt: Number(headers['webhook-timestamp'] ?? Number.NaN),
    headers,
    body,
    problem: problemOf(checks),
  }
}
