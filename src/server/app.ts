import type { ServerResponse } from 'node:http'
import { CONTROL_PREFIX } from '../contract/paths.ts'
import { RequestIds } from '../engine/account/ids.ts'
import type { Gateway } from '../engine/gateway.ts'
import { MovedError, UnavailableError } from '../engine/store/store-errors.ts'
import type { WebhookHosts } from '../engine/webhooks/webhook-hosts.ts'
import { Authentication, hostGuard } from './authentication.ts'
import { NotCarriedOutError } from './carry-out.ts'
import { Caller, type Forwarder, TAKEOVER_MS } from './cluster/forwarder.ts'
import { declineCall, type SurfaceName } from './cluster/handed-on.ts'
import type { ControlSettings } from './control/control-call.ts'
import { controlSurface } from './control/index.ts'
import type { SignInLinks } from './dashboard/session.ts'
import type { FaultBoxes } from './faults/wire-faults.ts'
import { frontDoor, isVisitor } from './front-door.ts'
import type { Carrier } from './http/carrier.ts'
import type { EventStreams } from './http/event-stream.ts'
import { Listener } from './http/listener.ts'
import { canBeReadAgain, demandNoExpectation } from './http/read-body.ts'
import { refuseUnread } from './http/refuse-unread.ts'
import { Reply } from './http/reply.ts'
import { Request } from './http/request.ts'
import type { FoundAccount, FoundHandler, Surface } from './http/surface.ts'
import { merchantApi } from './merchant/index.ts'
import { payerPages } from './pages/index.ts'
import { describeError, detailsForTheLog, refuse, storeRefusal } from './refusal.ts'
import type { RequestLog } from './requests/request-log.ts'

export interface AppSettings {
  readonly gateway: Gateway
  readonly requests: RequestLog
  readonly streams: EventStreams
  readonly faultBoxes: FaultBoxes
  readonly controlToken: string
  readonly signInLinks: SignInLinks
  readonly allowHosts: readonly string[]
  readonly webhookHosts: WebhookHosts
  readonly visit: ControlSettings['visit']
  readonly merchantUrl: () => string
  /** What links begin with behind a balancer or a tunnel. */
  readonly publicUrl?: string | undefined
  /** The separate port of the control surface; null if it has none. */
  readonly controlPort: () => number | null
  readonly surfaces: { readonly merchant: boolean; readonly control: boolean }
  /** Where several processes serve one store. */
  readonly forwarder?: Forwarder | undefined
  /** Called with a bug in paysim, for the log. */
  readonly onBug: (cause: unknown) => void
}

/** One HTTP listener with its surfaces. `answer` handles a request from start to end. */
export class App {
  readonly listener: Listener
  /** Event streams, which never end by themselves. */
  readonly #streams = new Set<ServerResponse>()
  #running = 0
  readonly #settings: AppSettings
  readonly #ids = new RequestIds(`${process.pid}/${performance.timeOrigin}/${performance.now()}`)
  readonly #guard: ReturnType<typeof hostGuard>
  readonly #control: Surface | undefined
  readonly #pages: Surface | undefined
  readonly #merchant: Surface | undefined
  readonly #frontDoor: Surface
  /** For calls that another process hands on: all of them come to the listener of the merchant API. */
  readonly #handedOn: { readonly [S in SurfaceName]?: Surface | undefined }

  constructor(settings: AppSettings) {
    this.#settings = settings
    this.#guard = hostGuard(settings.allowHosts)
    const { merchant, control } = settings.surfaces
    if (control) this.#control = controlSurface(settings)
    if (merchant) {
      this.#pages = payerPages(settings)
      this.#merchant = merchantApi(settings, new Authentication(settings.gateway))
    }
    this.#frontDoor = frontDoor(control ? () => null : settings.controlPort)
    this.#handedOn =
      merchant && settings.forwarder
        ? { merchant: this.#merchant, pages: this.#pages, control: this.#control ?? controlSurface(settings) }
        : {}
    this.listener = new Listener(
      carrier => this.#answer(carrier),
      (error, socket) => refuseUnread(settings.gateway.contract, this.#ids.next(), error, socket),
    )
  }

  #answer(carrier: Carrier, startedAt?: number): void {
    this.#running++
    const request = new Request(carrier, this.#ids, startedAt)
    const reply = new Reply(carrier)
    try {
      const answered = this.#serve(request, reply)
      // Most answers are ready at once, so do not wait for the next turn of the event loop.
      if (answered instanceof Promise)
        answered.then(() => this.#end(request, reply)).catch(this.#settings.onBug)
      else this.#end(request, reply)
    } catch (error) {
      this.#answerError(error, request, reply)
      this.#end(request, reply)
    }
  }

  #end(request: Request, reply: Reply): void {
    this.#running--
    if (request.isToRepeat) {
      this.#letGo(request)
      this.#answer(request.carrier, request.startedAt)
    } else {
      this.#leave(request, reply)
      if (request.answersFor === undefined || reply.isOver) this.#letGo(request)
      else reply.raw.once('close', () => this.#letGo(request))
    }
  }

  /** Whether this process may answer for the account. If so, the account stays here until the call lets it go. */
  #mayEnter(account: string, request: Request): boolean {
    if (!this.#settings.forwarder?.holders.enter(account, request)) return false
    request.answersFor = account
    return true
  }

  #letGo(request: Request): void {
    if (request.answersFor !== undefined) this.#settings.forwarder?.holders.leave(request.answersFor, request)
    request.answersFor = undefined
  }

  #serve(request: Request, reply: Reply): Promise<unknown> | unknown {
    const { forwarder } = this.#settings
    const given = forwarder?.surfaceOf(request)
    request.handedOn = given !== undefined
    if (this.listener.closing) {
      if (given) return declineCall(request, reply)
      throw refuse('service_unavailable', 'The server is stopping')
    }
    // The process that handed it on has looked at the host.
    if (!given) this.#guard(request.carrier)
    demandNoExpectation(request.carrier, reply)
    const found = this.#find(request, given)
    if (found.surface.maySendLong?.(request)) request.carrier.allowLong()
    const account = forwarder && found.surface.accountOf(request)
    if (account === undefined) return this.#enter(request, reply, found)
    if (account !== null && this.#mayEnter(account, request)) {
      found.account = account
      return this.#enter(request, reply, found)
    }
    const answered =
      account === null
        ? this.#answerByNewestList(request, reply, found)
        : this.#answerAtHolder(request, reply, { ...found, account })
    return answered.catch(error => this.#answerError(error, request, reply))
  }

  /** Answers by the newest list of merchants, because another process may have changed it. */
  async #answerByNewestList(request: Request, reply: Reply, found: FoundHandler): Promise<unknown> {
    await this.#refreshMerchants()
    const account = found.surface.accountOf(request)
    if (!account) return this.#enter(request, reply, found)
    const place = { ...found, account }
    if (this.#mayEnter(account, request)) return this.#enter(request, reply, place)
    return this.#answerAtHolder(request, reply, place)
  }

  /** Learns what other processes have changed in the list of merchants. */
  async #refreshMerchants(): Promise<void> {
    try {
      await this.#settings.gateway.refresh()
    } catch (cause) {
      throw storeRefusal(cause, 'nothing was changed')
    }
  }

  /** Answers where the account is held: elsewhere, or here as soon as this process holds it. */
  async #answerAtHolder(request: Request, reply: Reply, place: FoundAccount): Promise<unknown> {
    const { forwarder } = this.#settings
    const { surface, account } = place
    if (!forwarder) throw new Error('another process holds the account, but this server has no forwarder')
    this.#letGo(request)
    const caller = new Caller(request.carrier)
    try {
      do {
        // A call is never handed on twice: the process that handed it on asks the store again.
        const holder = await forwarder.find(account, caller, request.handedOn)
        if (holder === undefined) continue
        if (request.handedOn) return declineCall(request, reply)
        const repeatable = surface.isRepeatable(request)
        const call = { request, reply, account, surface: surface.name, repeatable }
        await forwarder.forward(call, holder, caller)
        request.isAnsweredElsewhere = true
        return reply.hijack()
      } while (!this.#mayEnter(account, request))
    } finally {
      caller.leave()
    }
    // Its previous holder may have changed its keys, or removed it.
    await this.#refreshMerchants()
    return this.#enter(request, reply, place)
  }

  #enter(request: Request, reply: Reply, place: FoundHandler): Promise<unknown> | unknown {
    // A refused change of the list is removed first, so that this call shows what the next start will find.
    const enter = () => place.surface.enter(request, reply)
    const entering = this.#settings.gateway.settled?.then(enter) ?? enter()
    if (!entering) return this.#handle(request, reply, place)
    return entering
      .then(() => this.#unlessMoved(request, reply, place, () => this.#handle(request, reply, place)))
      .catch(error => this.#answerError(error, request, reply))
  }

  /** While this process waited, another may have taken the account, and the state here may be old. */
  #unlessMoved<T>(
    request: Request,
    reply: Reply,
    place: FoundHandler,
    answer: () => T,
  ): T | Promise<unknown> {
    const { account } = place
    const isHere = account === undefined || this.#settings.forwarder?.holders.mayAnswer(account) !== false
    return isHere ? answer() : this.#answerAtHolder(request, reply, { ...place, account })
  }

  #handle(request: Request, reply: Reply, place: FoundHandler): Promise<unknown> | unknown {
    const { surface, handle } = place
    if (!handle) throw surface.missing(request, reply)
    const begin = () => {
      request.isBegun = true
      return handle(request, reply)
    }
    const preparing = surface.prepare?.(request, reply)
    const answered = preparing
      ? preparing.then(sent => sent ?? this.#unlessMoved(request, reply, place, begin))
      : begin()
    if (!(answered instanceof Promise)) return surface.finish?.(request, reply)
    return answered
      .catch(error => this.#answerError(error, request, reply))
      .then(() => (request.isToRepeat ? undefined : surface.finish?.(request, reply)))
  }

  #find(request: Request, handedOn: SurfaceName | undefined): FoundHandler {
    const given = handedOn && this.#handedOn[handedOn]
    if (given) return { surface: given, handle: given.routes.find(request) }
    const nearest = request.path.startsWith(`${CONTROL_PREFIX}/`) ? this.#control : undefined
    if (nearest) return { surface: nearest, handle: nearest.routes.find(request) }
    if (isVisitor(request)) return { surface: this.#frontDoor, handle: this.#frontDoor.routes.find(request) }
    const page = this.#pages?.routes.find(request)
    if (page && this.#pages) return { surface: this.#pages, handle: page }
    const surface = this.#merchant ?? this.#control
    if (!surface) throw new Error('this listener serves no surface')
    return { surface, handle: surface.routes.find(request) }
  }

  /** Whether the account has another holder now, who can answer the call, because nothing was changed here for it. */
  #isForAnother(error: unknown, { answersFor, startedAt, carrier, isSafe, isBegun }: Request): boolean {
    const { forwarder } = this.#settings
    if (!forwarder || answersFor === undefined || !(error instanceof UnavailableError)) return false
    const isHere = !(error instanceof MovedError) && forwarder.holders.mayAnswer(answersFor)
    if (isHere || !canBeReadAgain(carrier) || performance.now() - startedAt > TAKEOVER_MS) return false
    return isSafe || !isBegun || error instanceof NotCarriedOutError
  }

  #answerError(error: unknown, request: Request, reply: Reply): void {
    request.isToRepeat = this.#isForAnother(error, request)
    if (request.isToRepeat) return
    const details = detailsForTheLog(error)
    if (details !== undefined) this.#settings.onBug(details)
    describeError(this.#settings.gateway.contract, request, reply, error)
  }

  #leave(request: Request, reply: Reply): void {
    // The process that answered it has logged it.
    if (request.isAnsweredElsewhere) return reply.leave()
    reply.header('request-id', request.requestId)
    if (this.isLeaving) reply.header('connection', 'close')
    if (reply.hijacked) this.follow(reply.raw)
    reply.leave()
    this.#settings.requests.record(request, reply)
  }

  /** Ends the stream with the server. */
  follow(stream: ServerResponse): void {
    this.#streams.add(stream)
    stream.once('close', () => this.#streams.delete(stream))
  }

  get isLeaving(): boolean {
    return this.listener.leaving
  }

  /** Ends what would never end by itself. Calls are answered as before. */
  endStreams(): void {
    for (const stream of this.#streams) stream.end()
  }

  /** Refuses new requests, and resolves when the running ones have ended: with how many were cut off. */
  async close(): Promise<number> {
    let cutOff = 0
    const closed = this.listener.close(() => {
      cutOff = this.#running
    })
    this.endStreams()
    await closed
    return cutOff
  }
}
