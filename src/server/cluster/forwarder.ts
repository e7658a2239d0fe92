import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from 'undici'
import type { Gateway } from '../../engine/gateway.ts'
import type { Holders } from '../../engine/store/holders.ts'
import { MovedError, UnavailableError } from '../../engine/store/store-errors.ts'
import { NotCarriedOutError } from '../carry-out.ts'
import { canBeReadAgain } from '../http/read-body.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Surface, SurfaceName } from '../http/routes.ts'
import { refuse, storeRefusal } from '../refusal.ts'
import { Caller, ForwardAttempt, KeptBody, type Outcome } from './forward-attempt.ts'
import { declineCall, endToEnd, FORWARDED, forwardedSurface, proofFor } from './forwarding-headers.ts'
import { HolderConnections, PlainAttempt } from './plain-attempt.ts'

/** How long a call waits for a holder: the rest of a lease, the opening of the account, and more. */
const TAKEOVER_MS = 25_000
/** How long an answer of the store is used again. A lease lasts longer than this. */
const KNOWN_MS = 1000
/** If more answers than this are kept, all of them are removed, to save memory. */
const MOST_KNOWN = 10_000
/** The pause before it asks again: a former holder learns of its loss later than the store. */
const PAUSE_MS = { first: 10, longest: 250 }

interface ForwardedCall {
  readonly request: Request
  readonly reply: Reply
  readonly account: string
  readonly surface: SurfaceName
  /** Whether it may be carried out twice, with the same effect and answer as once. */
  readonly repeatable: boolean
}

interface Settings {
  readonly holders: Holders
  /** The address of this process, where it takes forwarded calls. */
  readonly self: () => string
  /** The listener whose calls it forwards. */
  readonly app: () => CallersApp | undefined
}

interface CallersApp {
  /** Called with each answer that is a stream without an end. */
  follow(stream: ServerResponse): void
  /** Whether each connection ends with its next answer. */
  readonly isLeaving: boolean
}

type Sent = Awaited<ReturnType<KeptBody['open']>>

const isStream = (body: Sent): body is Exclude<Sent, Buffer | null> => body !== null && !Buffer.isBuffer(body)

/** Gets calls answered by the process that holds their account. */
export class Forwarder {
  readonly #settings: Settings
  readonly #watch: HolderWatch
  /** The address at which another process holds an account, and until when that answer may be used. */
  readonly #known = new Map<string, { readonly address: string; readonly until: number }>()
  #agent: Agent | undefined
  readonly #connections = new HolderConnections()
  readonly #fields = new WeakMap<readonly string[], string>()

  constructor(settings: Settings) {
    this.#settings = settings
    this.#watch = new HolderWatch(settings.holders, settings.self)
  }

  get holders(): Holders {
    return this.#settings.holders
  }

  /** A call that came to this process. */
  receive(gateway: Pick<Gateway, 'refresh'>, request: Request, reply: Reply): ClusterCall {
    return new ClusterCall(this, gateway, request, reply)
  }

  #note(account: string, address: string | undefined): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    if (address === undefined) this.#known.delete(account)
    else this.#known.set(account, { address, until: performance.now() + KNOWN_MS })
  }

  /**
   * Where the account is held, as `remoteHolder` says now or said a moment ago: a process that no longer holds it refuses
   * the call. Throws a refusal if no process takes the account in time.
   */
  async find(account: string, caller: Pick<Caller, 'signal'>, onlyNow = false): Promise<string | undefined> {
    const known = onlyNow ? undefined : this.#known.get(account)
    if (known && performance.now() < known.until) return known.address
    const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(TAKEOVER_MS)])
    try {
      const holder = await this.holders.remoteHolder(account, signal)
      this.#note(account, holder)
      return holder
    } catch (cause) {
      if (!signal.aborted) throw storeRefusal(cause, 'try again')
      throw refuse('service_unavailable', 'No process could take this account over in time')
    }
  }

  /** Passes the holder's answer to the caller. Throws a refusal if there is none. */
  async forward(call: ForwardedCall, holder: string, caller: Caller): Promise<void> {
    const body = new KeptBody(call.request.exchange)
    try {
      await this.#forward(call, body, holder, caller)
    } finally {
      // A holder may answer before it has the whole body.
      void body.discard().catch(() => {})
    }
  }

  async #forward(call: ForwardedCall, body: KeptBody, holder: string, caller: Caller): Promise<void> {
    const { account, repeatable } = call
    let address = holder
    let pauseMs = PAUSE_MS.first
    for (;;) {
      const outcome = await this.#attempt(call, address, body, caller)
      if (outcome === 'answered') {
        this.holders.counts.forwarded++
        return
      }
      if (outcome === 'reset') {
        call.request.exchange.socket.resetAndDestroy()
        return
      }
      this.#known.delete(account)
      if (caller.isGone) return
      const mayBeDone = body.isSentWhole && !repeatable && (outcome === 'lost' || outcome === 'given-up')
      if (mayBeDone && !(outcome === 'lost' && (await this.#wasNotBegun(address, caller))))
        throw refuse(
          'service_unavailable',
          'The process that holds this account stopped responding before it answered; it is not known whether the call was carried out',
        )
      if (!body.isKept)
        throw refuse(
          'service_unavailable',
          'The process that holds this account stopped responding, and the body is too large to resend; nothing was changed',
        )
      await wait(pauseMs, undefined, { signal: caller.signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest)
      // Once this process holds it, the call comes to itself, because it has already read the body.
      address = (await this.find(account, caller)) ?? this.#settings.self()
    }
  }

  /** Whether the process at the address stops and has answered all that it began. A lost call had no effect then. */
  #wasNotBegun(address: string, caller: Caller): Promise<boolean> {
    const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(TAKEOVER_MS)])
    return this.holders.departure.hasAnsweredAll(address, signal).catch(() => false)
  }

  async #attempt(call: ForwardedCall, address: string, body: KeptBody, caller: Caller): Promise<Outcome> {
    const sent = await body.open().catch(() => undefined)
    // The caller disconnected meanwhile.
    if (sent === undefined || caller.isGone) return 'lost'
    const attempt = await this.#begin(call, address, sent)
    const abort = () => attempt.abort()
    caller.whenGone(abort)
    const settle = this.#watch.watch(call.account, address, abort)
    try {
      return await attempt.outcome
    } finally {
      settle()
      caller.whenGone(undefined)
    }
  }

  async #begin(
    { request, reply, surface }: ForwardedCall,
    address: string,
    body: Sent,
  ): Promise<ForwardAttempt | PlainAttempt> {
    const { method, url: path } = request
    const { raw, rawHeaders } = request.exchange
    const proof = proofFor(surface, this.holders.secret)
    if (raw && surface === 'merchant' && !isStream(body) && address.startsWith('http:')) {
      const head = `${method} ${path} HTTP/1.1\r\n${this.#fieldsOf(rawHeaders)}${FORWARDED}: ${proof}\r\n\r\n`
      return new PlainAttempt({ connections: this.#connections, address, client: raw }, head, body)
    }
    const { app } = this.#settings
    const attempt = new ForwardAttempt(reply.raw, contentType => {
      if (contentType?.startsWith('text/event-stream')) app()?.follow(reply.raw)
      if (app()?.isLeaving) reply.raw.shouldKeepAlive = false
    })
    this.#agent ??= await this.#newAgent()
    const headers = [...endToEnd(rawHeaders), FORWARDED, proof]
    this.#agent.dispatch({ origin: address, path, method, headers, body: body as Buffer | null }, attempt)
    return attempt
  }

  /** The requests of a plain connection nearly always have the same header. */
  #fieldsOf(rawHeaders: readonly string[]): string {
    let fields = this.#fields.get(rawHeaders)
    if (fields === undefined) {
      fields = endToEnd(rawHeaders).reduce(
        (text, part, at) => text + part + (at % 2 === 0 ? ': ' : '\r\n'),
        '',
      )
      this.#fields.set(rawHeaders, fields)
    }
    return fields
  }

  async #newAgent(): Promise<Agent> {
    const { default: Agent } = await import('undici/lib/dispatcher/agent.js')
    // An advance or a stream has no time limit; the watch notices when the holder changes.
    return this.#agent ?? new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 3000 } })
  }

  async close(): Promise<void> {
    this.#watch.close()
    this.#connections.close()
    await this.#agent?.destroy()
  }
}

const LOOK_MS = 250
/** A call that waits for longer than most is looked at in each round; a very long one, such as a stream, in each fourth. */
const EARLY_ROUNDS = { first: 2, last: 40 }
const ROUNDS_OF_OTHERS = 4

interface OpenCall {
  readonly address: string
  readonly abort: () => void
  /** Whether it was found elsewhere before: the answer may have been on its way. */
  isLate?: boolean
  /** In how many rounds it was open. */
  rounds: number
}

/**
 * A process that is paused, or cut off, keeps its connections open and answers nothing. While calls about an account
 * are open, this asks which process holds it, and ends calls to any other.
 */
class HolderWatch {
  readonly #open = new Map<string, Set<OpenCall>>()
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  readonly #checking = new Set<string>()

  constructor(
    private readonly holders: Holders,
    private readonly self: () => string,
  ) {
    // The signal has one listener for each account that is asked about, which may be more than Node expects.
    setMaxListeners(0, this.#stopping.signal)
  }

  /** Calls `abort` when the account is held elsewhere than at the address. Returns what to call at the end. */
  watch(account: string, address: string, abort: () => void): () => void {
    const open: OpenCall = { address, abort, rounds: 0 }
    let ofAccount = this.#open.get(account)
    if (!ofAccount) {
      ofAccount = new Set()
      this.#open.set(account, ofAccount)
    }
    ofAccount.add(open)
    this.#timer ??= setInterval(() => this.#checkAll(), LOOK_MS).unref()
    return () => ofAccount.delete(open)
  }

  #checkAll(): void {
    for (const [account, open] of this.#open)
      if (open.size === 0) this.#open.delete(account)
      else if (isToCheck(open) && !this.#checking.has(account)) void this.#check(account, open)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #check(account: string, open: ReadonlySet<OpenCall>): Promise<void> {
    this.#checking.add(account)
    try {
      // Only the calls open now: a later call may already go to the right process.
      const asked = [...open]
      const holder = (await this.holders.remoteHolder(account, this.#stopping.signal)) ?? this.self()
      for (const call of asked) {
        if (call.address === holder) continue
        // A process that stops has given the account away, and still answers the calls that it had.
        const isToEnd = call.isLate && !(await this.holders.departure.isUnderWay(call.address))
        if (isToEnd && open.has(call)) call.abort()
        call.isLate = true
      }
    } catch {
      // The store does not answer now. The next check asks again.
    } finally {
      this.#checking.delete(account)
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#stopping.abort()
  }
}

/** Counts the round for each of the calls. */
function isToCheck(calls: ReadonlySet<OpenCall>): boolean {
  let isDue = false
  for (const call of calls) {
    const round = ++call.rounds
    const isEarly = round >= EARLY_ROUNDS.first && round <= EARLY_ROUNDS.last
    if (isEarly || round % ROUNDS_OF_OTHERS === 0) isDue = true
  }
  return isDue
}

/** A call to one of several processes that serve one store. It is answered by the process that holds its account. */
class ClusterCall {
  /** The surface to which another process forwarded it. Undefined if it comes from its client. */
  readonly forwardedTo: SurfaceName | undefined
  /** The account that this process keeps until the call is answered. */
  #account: string | undefined

  constructor(
    private readonly forwarder: Forwarder,
    private readonly gateway: Pick<Gateway, 'refresh'>,
    private readonly request: Request,
    private readonly reply: Reply,
  ) {
    this.forwardedTo = forwardedSurface(request.exchange, forwarder.holders.secret)
    request.isForwarded = this.forwardedTo !== undefined
  }

  /** Whether this process answers it. If not, it was answered by another process, or declined. */
  async isForThisProcess(surface: Surface): Promise<boolean> {
    const { forwarder, request, reply } = this
    let account = surface.accountOf(request)
    if (account === null) {
      await this.#refreshMerchants()
      account = surface.accountOf(request)
    }
    if (!account || this.#keep(account)) return true
    const caller = new Caller(request.exchange)
    try {
      do {
        // A call is never forwarded twice: the process that forwarded it asks the store again.
        const holder = await forwarder.find(account, caller, request.isForwarded)
        if (holder === undefined) continue
        if (request.isForwarded) {
          this.decline()
          return false
        }
        const repeatable = surface.isRepeatable(request)
        await forwarder.forward(
          { request, reply, account, surface: surface.name, repeatable },
          holder,
          caller,
        )
        return false
      } while (!this.#keep(account))
    } finally {
      caller.unwatch()
    }
    // Its previous holder may have changed its keys, or removed it.
    await this.#refreshMerchants()
    return true
  }

  decline(): void {
    declineCall(this.reply)
  }

  /** Whether this process may answer for the account. If so, the account stays here until the call is over. */
  #keep(account: string): boolean {
    if (!this.forwarder.holders.beginCall(account, this.request)) return false
    this.#account = account
    return true
  }

  /** Learns what other processes have changed in the list of merchants. */
  async #refreshMerchants(): Promise<void> {
    try {
      await this.gateway.refresh()
    } catch (cause) {
      throw storeRefusal(cause, 'nothing was changed')
    }
  }

  /** Whether another process took the account while this call waited, so that the state here may be old. */
  get hasMoved(): boolean {
    return this.#account !== undefined && !this.forwarder.holders.mayAnswer(this.#account)
  }

  /** Whether the account has another holder now, who can answer the call, because nothing was changed here for it. */
  isForAnother(error: unknown, isBegun: boolean): boolean {
    const { isSafe, startedAt, exchange } = this.request
    if (this.#account === undefined || !(error instanceof UnavailableError)) return false
    if (!(error instanceof MovedError) && !this.hasMoved) return false
    if (!canBeReadAgain(exchange) || performance.now() - startedAt > TAKEOVER_MS) return false
    return isSafe || !isBegun || error instanceof NotCarriedOutError
  }

  /** The account may leave when the answer has. */
  answered(): void {
    if (this.#account === undefined || this.reply.isOver) this.release()
    else this.reply.raw.once('close', () => this.release())
  }

  release(): void {
    if (this.#account !== undefined) this.forwarder.holders.endCall(this.#account, this.request)
    this.#account = undefined
  }
}
