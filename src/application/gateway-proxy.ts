import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import request from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import type { Contract } from '../contract/decisions.ts'
import { rejection, renderError } from '../contract/errors.ts'
import { isOwnPath } from '../contract/paths.ts'
import { HOP_BY_HOP } from '../contract/wire-answer.ts'
import { boundedBody, EndlessBodyError } from './bounded-body.ts'
import { type Disturbance, operationOf, type Subject, UNKNOWN_MEMBER } from './disturbance.ts'

/** A call of the application to the gateway, with its answer. */
export interface RecordedCall {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
  readonly body: string
  /** The step of the scenario during which the call was made, counted from 0. */
  readonly step: number
  readonly startedAt: number
  endedAt?: number
  /** 0 if the application got no answer. */
  status?: number
  /** What the gateway answered, though the answer may have been lost. */
  answer?: string
  /** How it was disturbed. */
  disturbed?: string | undefined
  /** What it is about, where a run has several accounts. */
  subject?: Subject
}

/** What the proxy needs from a run. */
export interface CallWatcher {
  readonly step: number
  readonly calls: RecordedCall[]
  /** The gateway's decisions, such as the form of its errors. */
  readonly contract: Contract
  /** Is called when a call begins or ends. */
  onActivity(): void
  disturbCall(call: RecordedCall): readonly Disturbance[] | Promise<readonly Disturbance[]>
  /** Delivers the webhooks that a call caused before that call is answered. Returns whether there was one. */
  deliverWebhooks(call: RecordedCall): Promise<boolean>
  /** A disturbance of a call has not happened after all. */
  cameToNothing(disturbance: Disturbance): void
  /** The account's own credentials. They replace those that the application was started with. */
  readonly authorization?: { readonly given: string; readonly own: string } | undefined
}

const SLOW_MS = 2000

/** The proxy between the application and the gateway. It records each call with its answer, and can disturb it. */
export class GatewayProxy {
  readonly #agent = new Agent({ keepAliveTimeout: 4000, headersTimeout: 0, bodyTimeout: 0 })
  /** The run that the calls belong to. */
  watcher: CallWatcher | undefined
  #underWay = 0
  readonly #calm = new EventEmitter()
  #lastActiveAt = Number.NEGATIVE_INFINITY

  private constructor(
    private readonly server: Server,
    private readonly gateway: string,
    readonly port: number,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Listens on this port, or on any free one. */
  static async open(gateway: string, wanted = 0): Promise<GatewayProxy> {
    const server = createServer()
    server.listen(wanted, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const proxy = new GatewayProxy(server, gateway, port)
    server.on('request', (request, response) => {
      proxy.#underWay += 1
      proxy
        .#pass(request, response)
        .catch(() => cut(request))
        .finally(() => {
          proxy.#underWay -= 1
          proxy.#lastActiveAt = performance.now()
          if (proxy.#underWay === 0) proxy.#calm.emit('idle')
        })
    })
    return proxy
  }

  /** Waits until no call waits for its answer, but not longer than this. */
  async idle(withinMs: number): Promise<void> {
    if (this.#underWay === 0) return
    await once(this.#calm, 'idle', { signal: AbortSignal.timeout(withinMs) }).catch(() => {})
  }

  /** Waits until the last call was answered this long ago, because a program that calls again may pause before it does. */
  async atRest(forMs: number, withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs
    for (;;) {
      await this.idle(Math.max(0, Math.ceil(deadline - performance.now())))
      const [now, restsAt] = [performance.now(), this.#lastActiveAt + forMs]
      if (now >= restsAt || now >= deadline) return
      await pause(Math.min(restsAt, deadline) - now)
    }
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host } = request.headers
    if (!isLocalName(host)) {
      const use = `call ${this.url}, or have the tunnel send that address as Host`
      response.writeHead(421).end(`${host} is not a name of this machine: ${use}\n`)
      return
    }
    const body = await boundedBody(request).catch((cause: unknown) => {
      if (cause instanceof EndlessBodyError) return undefined
      throw cause
    })
    if (!body) {
      response.writeHead(413, { connection: 'close' }).end('The call is not passed on: its body has no end\n')
      return
    }
    const { watcher } = this
    const { method = 'GET', url: path = '/' } = request
    if (isOwnPath(path)) return this.#passOn(method, path, body, request, response)
    const operation = operationOf(method, path)
    const call: RecordedCall = {
      operation,
      method,
      path,
      headers: request.rawHeaders,
      body: body.toString('utf8'),
      step: watcher?.step ?? 0,
      startedAt: performance.now(),
    }
    watcher?.calls.push(call)
    watcher?.onActivity()
    const disturbances = (await watcher?.disturbCall(call)) ?? []
    call.disturbed = namesOf(disturbances)
    try {
      await this.#answer(call, body, disturbances, watcher, request, response)
    } finally {
      call.endedAt = performance.now()
      watcher?.onActivity()
    }
  }

  /** Passes on a call to the control surface or to a page. It is no call to the gateway, and its answer may have no end. */
  async #passOn(
    method: string,
    path: string,
    body: Buffer,
    { rawHeaders }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const leaving = new AbortController()
    response.once('close', () => leaving.abort())
    const answer = await this.#send(method, path, withoutHops(pairs(rawHeaders)), body, leaving.signal)
    const headers = withoutHops(pairs(answer.headers as unknown as string[]))
    response.writeHead(answer.statusCode, headers.flat())
    await pipeline(answer.body, response)
  }

  #send(method: string, path: string, headers: string[][], body: Buffer, signal?: AbortSignal) {
    const { origin, pathname, search } = new URL(this.gateway + path)
    return request.call(this.#agent, {
      origin,
      path: pathname + search,
      method: method as 'GET',
      headers: headers
        .filter(([name = '']) => !['host', 'content-length'].includes(name.toLowerCase()))
        .flat(),
      responseHeaders: 'raw',
      signal,
      ...(body.length > 0 || !['GET', 'HEAD'].includes(method) ? { body } : {}),
    })
  }

  async #answer(
    call: RecordedCall,
    body: Buffer,
    disturbances: readonly Disturbance[],
    watcher: CallWatcher | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const is = (kind: Disturbance['kind']) => disturbances.find(disturbance => disturbance.kind === kind)
    if (is('call-refused')) return lose(call, request)
    if (watcher && is('call-outage'))
      return isFirstOfOutage(call, watcher)
        ? refuse(call, 503, watcher.contract, response)
        : lose(call, request)
    for (const status of [503, 429] as const)
      if (watcher && is(`call-${status}`)) return refuse(call, status, watcher.contract, response)
    const answer = await this.#forward(call, body, watcher)
    if (answer === undefined) {
      call.disturbed ??= 'the gateway gave no answer'
      return lose(call, request)
    }
    const early = is('webhook-early')
    if (early && watcher && !(await watcher.deliverWebhooks(call))) {
      watcher.cameToNothing(early)
      call.disturbed = namesOf(disturbances.filter(other => other !== early))
    }
    const slow = is('call-slow')
    if (slow) await pause(slow.delayMs ?? SLOW_MS)
    if (is('call-lost-answer')) {
      call.answer = answer.body.toString('utf8')
      return lose(call, request)
    }
    const text = is('answer-unknown-field') ? withUnknownMember(answer.body) : answer.body
    call.status = answer.status
    call.answer = text.toString('utf8')
    if (answer.status >= 500) call.disturbed ??= `the gateway answered ${answer.status}`
    const headers = answer.headers.filter(([name = '']) => name.toLowerCase() !== 'content-length').flat()
    response.writeHead(answer.status, [...headers, 'content-length', String(text.length)]).end(text)
  }

  async #forward(
    call: RecordedCall,
    body: Buffer,
    watcher: CallWatcher | undefined,
  ): Promise<{ status: number; headers: string[][]; body: Buffer } | undefined> {
    const headers = withoutHops(pairs(call.headers)).map(([name = '', value = '']) => {
      const { authorization } = watcher ?? {}
      const isOurs = name.toLowerCase() === 'authorization' && value === authorization?.given
      return [name, isOurs ? (authorization?.own ?? value) : value]
    })
    try {
      const answer = await this.#send(call.method, call.path, headers, body)
      const bytes = Buffer.from(await answer.body.arrayBuffer())
      const kept = withoutHops(pairs(answer.headers as unknown as string[]))
      return { status: answer.statusCode, headers: kept, body: bytes }
    } catch {
      return undefined
    }
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.server.close(resolve))
    this.server.closeAllConnections()
    await this.#agent.destroy()
    await closed
  }
}

/**
 * A web page can make a browser send requests here under a name of its own that points to this machine, and the keys of
 * an application that runs already are known. A name that somebody can register has a dot, and another last part.
 */
function isLocalName(host = ''): boolean {
  const name = host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '')
  return isIP(name) !== 0 || /^[^.]+$|\.(localhost|internal)$/i.test(name)
}

function pairs(flat: readonly string[]): string[][] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? '', flat[2 * at + 1] ?? ''])
}

const namesOf = (disturbances: readonly Disturbance[]) =>
  disturbances.map(({ kind }) => kind).join(', ') || undefined

const withoutHops = (headers: string[][]) =>
  headers.filter(([name = '']) => !HOP_BY_HOP.has(name.toLowerCase()))

/** Closes the connection without an answer. */
function lose(call: RecordedCall, request: IncomingMessage): void {
  call.status = 0
  cut(request)
}

/** A gateway that goes down refuses first, and then nobody listens any more. */
const isFirstOfOutage = (call: RecordedCall, { calls }: CallWatcher) =>
  calls.find(({ disturbed }) => disturbed?.includes('call-outage')) === call

const cut = (request: IncomingMessage) => void request.socket.resetAndDestroy()

const REFUSALS = { 503: 'service_unavailable', 429: 'rate_limited' } as const

/** Answers as the gateway does when it is overloaded, with an error in the form that the contract in force gives it. */
function refuse(call: RecordedCall, status: 503 | 429, contract: Contract, response: ServerResponse): void {
  const code = REFUSALS[status]
  const refusal = rejection(code, `The request was not carried out: ${code}`)
  const { body, contentType } = renderError(contract, refusal, 'req_disturbed')
  call.status = status
  call.answer = body
  response
    .writeHead(status, { 'content-type': contentType, ...(status === 429 ? { 'retry-after': '1' } : {}) })
    .end(body)
}

function withUnknownMember(body: Buffer): Buffer {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return body
    return Buffer.from(JSON.stringify({ ...value, ...UNKNOWN_MEMBER }))
  } catch {
    return body
  }
}
