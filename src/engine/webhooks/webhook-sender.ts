import { Agent, type AgentOptions, type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import type { LookupFunction } from 'node:net'
import { headerWithoutSecrets } from '../../contract/redact.ts'
import { Deadline, Stopping, TooLateError } from '../time/real-time.ts'
import { Queue } from '../time/scheduling.ts'
import { hostOf, isThisMachine, WebhookHostError, type WebhookHosts } from './webhook-hosts.ts'

export interface WebhookRequest {
  /** The account whose webhook it is, and the secret of its endpoint. */
  readonly account: string
  readonly secret: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  /** How long the receiver may take from the connection to the end of its answer. */
  readonly limitMs: number
  readonly stopping: Stopping
  /** Called when this time starts. */
  readonly onBegin: (deadline: Deadline) => void
}

export interface WebhookAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  /** Where a redirect leads. Nobody follows it. */
  readonly location?: string | undefined
  /** The first ones, without secrets. A relay may not tell them. */
  readonly headers?: Readonly<Record<string, string>>
  /** The start of the answer's body. */
  readonly body: string
}

/** Sends a webhook in its own way, such as twice. `send` posts it. */
export type RelayWebhook = (
  request: WebhookRequest,
  send: (request: WebhookRequest) => Promise<WebhookAnswer>,
) => Promise<WebhookAnswer>

/** The start of the receiver's answer, shown in the deliveries. */
const SHOWN_BODY = 1024
/** How many characters of its headers are kept with an attempt, and of one of them. */
const SHOWN_HEADERS = 2048
const SHOWN_HEADER = 256
/** An answer may be endless: no more of it is read. */
const MOST_READ = 1024 * 1024
/** How many requests all accounts together make at a time, and how many bytes these have. */
const AT_ONCE = 512
const BYTES_AT_ONCE = 32 * 1024 * 1024

/** Shorter than servers keep a connection, so that one is not used at the moment when it is closed. */
const IDLE_MS = 3000

/** How many URLs stay parsed. */
const TARGETS_KEPT = 1000

/** How a page is asked for, without anything that says who asks. */
const AS_A_BROWSER = { accept: 'text/html,*/*;q=0.8', 'user-agent': 'paysim' }

/**
 * Posts webhooks, and connects only to allowed hosts. All accounts share its connections. It uses Node's own client:
 * undici must compile WebAssembly first, which takes five times the processor time of a first webhook.
 */
export class WebhookSender {
  readonly #clients = new Map<string, HttpClient>()
  readonly #closing = new Stopping()
  #underWay = 0
  #bytes = 0
  readonly #waiting = new Queue<() => void>()
  readonly #targets = new Map<string, URL>()

  constructor(
    private readonly hosts: WebhookHosts,
    private readonly relay?: RelayWebhook | undefined,
  ) {}

  send(request: WebhookRequest): Promise<WebhookAnswer> {
    return this.relay ? this.relay(request, one => this.#send(one)) : this.#send(request)
  }

  async #send(request: WebhookRequest): Promise<WebhookAnswer> {
    const target = this.#targetOf(request.url)
    // An endpoint may come from an import, or from a server that was started with other hosts allowed.
    const problem = this.hosts.problem(target)
    if (problem !== undefined) throw new WebhookHostError(problem)
    const client = this.#clients.get(target.protocol) ?? (await this.#clientFor(target))
    const { length } = request.body
    while (this.#underWay >= AT_ONCE || (this.#underWay > 0 && this.#bytes + length > BYTES_AT_ONCE))
      await new Promise<void>(resolve => {
        this.#waiting.push(resolve)
      })
    this.#underWay++
    this.#bytes += length
    try {
      const { headers, body } = request
      return await exchange(client, target, { method: 'POST', headers, body }, request)
    } finally {
      this.#underWay--
      this.#bytes -= length
      this.#waiting.shift()?.()
    }
  }

  /**
   * Opens a page of an application as the payer's browser does, without following a redirect. It never asks a server at
   * one of `own`, the addresses of this process, whatever name leads there.
   */
  async visit(url: string, limitMs: number, own: readonly string[]): Promise<WebhookAnswer> {
    const target = new URL(url)
    const ports = own.map(address => portOf(new URL(address)))
    const isOwn = (address: string) => ports.includes(portOf(target)) && isThisMachine(address)
    const problem = this.hosts.problem(target)
    if (problem !== undefined) throw new WebhookHostError(problem)
    if (isOwn(hostOf(target)) || own.some(address => new URL(address).origin === target.origin))
      throw new WebhookHostError(TO_ITSELF)
    const lookup: LookupFunction = (name, options, done) =>
      this.hosts.lookup(name, options, (error, found) => {
        const allowed = Array.isArray(found) ? found.filter(({ address }) => !isOwn(address)) : found
        done(!error && allowed.length < found.length ? new WebhookHostError(TO_ITSELF) : error, allowed)
      })
    // What is connected to depends on the port, so no connection is kept.
    const client = await openClient(target, lookup)
    const settings = { limitMs, stopping: this.#closing, onBegin: () => {} }
    try {
      return await exchange(client, target, { method: 'GET', headers: AS_A_BROWSER }, settings)
    } finally {
      client.agent.destroy()
    }
  }

  #targetOf(url: string): URL {
    let target = this.#targets.get(url)
    if (!target) {
      target = new URL(url)
      if (this.#targets.size >= TARGETS_KEPT) this.#targets.clear()
      this.#targets.set(url, target)
    }
    return target
  }

  async #clientFor(target: URL): Promise<HttpClient> {
    const { protocol } = target
    const opened = await openClient(target, this.hosts.lookup)
    // A concurrent call may have opened one meanwhile.
    const client = this.#clients.get(protocol) ?? opened
    this.#clients.set(protocol, client)
    return client
  }

  /** Ends the connections that are kept for the next webhook. */
  async close(): Promise<void> {
    this.#closing.begin()
    for (const { agent } of this.#clients.values()) agent.destroy()
  }
}

/**
 * Those of the connection are not about the answer. The date says nothing that the attempt does not, and with it two runs
 * of the same seed would write different journals.
 */
const NOT_SHOWN = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

function shownHeaders(received: IncomingHttpHeaders): Record<string, string> {
  const shown: Record<string, string> = {}
  let left = SHOWN_HEADERS
  for (const name in received) {
    const value = received[name]
    if (value === undefined || NOT_SHOWN.has(name)) continue
    const values = typeof value === 'string' ? [value] : value
    const text = values.map(each => headerWithoutSecrets(name, each.slice(0, SHOWN_HEADER)))
    const line = text.join(', ').slice(0, SHOWN_HEADER)
    left -= name.length + line.length
    if (left < 0) break
    shown[name] = line
  }
  return shown
}

const TO_ITSELF = 'points to paysim itself'

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80')

interface HttpClient {
  readonly agent: Agent
  readonly request: typeof requestPlain
}

async function openClient({ protocol }: URL, lookup: LookupFunction): Promise<HttpClient> {
  const options: AgentOptions = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: AT_ONCE, lookup }
  if (protocol === 'http:') return { agent: new Agent(options), request: requestPlain }
  const https = await import('node:https')
  return { agent: new https.Agent(options), request: https.request }
}

interface Sent {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

function exchange(
  { agent, request }: HttpClient,
  target: URL,
  { method, headers, body }: Sent,
  { limitMs, stopping, onBegin }: Pick<WebhookRequest, 'limitMs' | 'stopping' | 'onBegin'>,
): Promise<WebhookAnswer> {
  return new Promise((resolve, reject) => {
    if (stopping.isBegun) return reject(new Error('stopped'))
    let isSent = false
    let isAnswered = false
    const fail = (cause: Error) => {
      if (cause instanceof TooLateError) cause.sent = isSent
      deadline.clear()
      reject(cause)
      outgoing.destroy()
    }
    const { host, port, pathname, search } = target
    const sent = ['host', host, 'connection', 'keep-alive']
    for (const name in headers) sent.push(name, headers[name] ?? '')
    if (body !== undefined) sent.push('content-length', String(Buffer.byteLength(body)))
    const outgoing = request({
      agent,
      method,
      host: hostOf(target),
      port,
      path: `${pathname}${search}`,
      headers: sent,
    })
    const deadline = new Deadline(limitMs, stopping, fail)
    onBegin(deadline)
    outgoing.on('socket', socket => {
      const connected = () => {
        isSent = true
      }
      if (outgoing.reusedSocket) connected()
      else socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', connected)
    })
    outgoing.on('error', fail)
    // A receiver that changes to another protocol is reported in no other way.
    outgoing.on('close', () => isAnswered || fail(new Error('the connection was closed')))
    outgoing.on('response', incoming => {
      const shown: Buffer[] = []
      let size = 0
      const answer = () => {
        isAnswered = true
        deadline.clear()
        const { 'retry-after': retryAfter, location } = incoming.headers
        const body = Buffer.concat(shown).toString('utf8').slice(0, SHOWN_BODY)
        const headers = shownHeaders(incoming.headers)
        resolve({ status: incoming.statusCode ?? 0, retryAfter, location, headers, body })
      }
      incoming.on('data', (chunk: Buffer) => {
        if (size < SHOWN_BODY) shown.push(chunk)
        size += chunk.length
        if (size <= MOST_READ) return
        answer()
        outgoing.destroy()
      })
      incoming.on('end', answer).on('error', fail)
    })
    outgoing.end(body)
  })
}
