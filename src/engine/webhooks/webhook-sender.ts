/// <reference path="./undici-parts.d.ts" />

import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { Deadline, TooLateError } from '../time/real-time.ts'
import { Queue } from '../time/scheduling.ts'
import { hostOf, isThisMachine, WebhookHostError, type WebhookHosts } from './webhook-hosts.ts'

export interface WebhookRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  /** How long the receiver may take from the connection to the end of its answer. */
  readonly limitMs: number
  readonly stopping: AbortSignal
  /** Called when this time starts. */
  readonly onBegin: (deadline: Deadline) => void
}

export interface WebhookAnswer {
  readonly status: number
  readonly retryAfter: string | string[] | undefined
  /** Where a redirect leads. Nobody follows it. */
  readonly location?: string | undefined
  /** The start of the answer's body. */
  readonly body: string
}

/** The start of the receiver's answer, shown in the deliveries. */
const SHOWN_BODY = 1024
/** An answer may be endless: no more of it is read. */
const MOST_READ = 1024 * 1024
/** How many requests all accounts together make at a time, and how many bytes these have. */
const AT_ONCE = 512
const BYTES_AT_ONCE = 32 * 1024 * 1024

/** How many URLs stay parsed. */
const TARGETS_KEPT = 1000

interface Target {
  readonly target: URL
  /** Why webhooks may not go there. */
  readonly problem: string | undefined
}

/** How a page is asked for, without anything that says who asks. */
const AS_A_BROWSER = { accept: 'text/html,*/*;q=0.8', 'user-agent': 'paysim' }

/** Posts webhooks, and connects only to allowed hosts. All accounts share its connections. */
export class WebhookSender {
  #agent: Agent | undefined
  readonly #closing = new AbortController()
  #underWay = 0
  #bytes = 0
  readonly #waiting = new Queue<() => void>()
  readonly #targets = new Map<string, Target>()

  constructor(private readonly hosts: WebhookHosts) {}

  async send(request: WebhookRequest): Promise<WebhookAnswer> {
    const { target, problem } = this.#targetOf(request.url)
    if (problem !== undefined) throw new WebhookHostError(problem)
    this.#agent ??= await this.#newAgent()
    const { length } = request.body
    while (this.#underWay >= AT_ONCE || (this.#underWay > 0 && this.#bytes + length > BYTES_AT_ONCE))
      await new Promise<void>(resolve => {
        this.#waiting.push(resolve)
      })
    this.#underWay++
    this.#bytes += length
    try {
      const { headers, body } = request
      return await exchange(this.#agent, target, { method: 'POST', headers, body }, request)
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
    const { default: Agent } = await import('undici/lib/dispatcher/agent.js')
    // What is connected to depends on the port, so no connection is kept.
    const agent = new Agent({ connect: { lookup } })
    const settings = { limitMs, stopping: this.#closing.signal, onBegin: () => {} }
    try {
      return await exchange(agent, target, { method: 'GET', headers: AS_A_BROWSER }, settings)
    } finally {
      await agent.destroy()
    }
  }

  /**
   * An endpoint may come from an import, or from a server that was started with other hosts allowed. So each URL is
   * checked, but only once, because the ranges of addresses take longer than the rest of a request.
   */
  #targetOf(url: string): Target {
    let checked = this.#targets.get(url)
    if (!checked) {
      const target = new URL(url)
      checked = { target, problem: this.hosts.problem(target) }
      if (this.#targets.size >= TARGETS_KEPT) this.#targets.clear()
      this.#targets.set(url, checked)
    }
    return checked
  }

  async #newAgent(): Promise<Agent> {
    // Loaded with the first webhook: most starts never send one.
    const { default: Agent } = await import('undici/lib/dispatcher/agent.js')
    // A concurrent call may have created it meanwhile.
    return this.#agent ?? new Agent({ connect: { lookup: this.hosts.lookup } })
  }

  /** Ends the connections that are kept for the next webhook. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#agent?.destroy()
  }
}

const TO_ITSELF = 'points to paysim itself'

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80')

function exchange(
  agent: Agent,
  { origin, pathname, search }: URL,
  request: Pick<Dispatcher.DispatchOptions, 'method' | 'headers' | 'body'>,
  { limitMs, stopping, onBegin }: Pick<WebhookRequest, 'limitMs' | 'stopping' | 'onBegin'>,
): Promise<WebhookAnswer> {
  return new Promise((resolve, reject) => {
    if (stopping.aborted) return reject(new Error('stopped'))
    const underWay = new WebhookExchange(resolve, reject)
    underWay.deadline = new Deadline(limitMs, stopping, reason => underWay.fail(reason))
    onBegin(underWay.deadline)
    agent.dispatch({ origin, path: `${pathname}${search}`, ...request }, underWay)
  })
}

/** One request and its answer. */
class WebhookExchange implements Dispatcher.DispatchHandler {
  deadline: Deadline | undefined
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: Record<string, string | string[] | undefined> = {}
  readonly #shown: Buffer[] = []
  #size = 0

  constructor(
    private readonly resolve: (answer: WebhookAnswer) => void,
    private readonly reject: (cause: Error) => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It waited too long for a connection.
    if (!this.deadline) controller.abort(new Error('no longer needed'))
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#size < SHOWN_BODY) this.#shown.push(chunk)
    this.#size += chunk.length
    if (this.#size <= MOST_READ) return
    this.#answer()
    controller.abort(new Error('no more is read'))
  }

  onResponseEnd(): void {
    this.#answer()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  #answer(): void {
    this.#end()
    const body = Buffer.concat(this.#shown).toString('utf8').slice(0, SHOWN_BODY)
    const { 'retry-after': retryAfter, location } = this.#headers
    const [first] = [location].flat()
    this.resolve({ status: this.#status, retryAfter, location: first, body })
  }

  fail(cause: Error): void {
    const controller = this.#controller
    if (cause instanceof TooLateError) cause.sent = controller !== undefined
    this.#end()
    this.reject(cause)
    if (controller && !controller.aborted) controller.abort(cause)
  }

  #end(): void {
    this.deadline?.clear()
    this.deadline = undefined
  }
}
