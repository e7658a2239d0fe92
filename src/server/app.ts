import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { CONTROL_PREFIX } from '../contract/paths.ts'
import type { WireAnswer } from '../contract/wire-answer.ts'
import type { Account } from '../engine/account/account.ts'
import { RequestIds } from '../engine/account/ids.ts'
import type { Gateway } from '../engine/gateway.ts'
import type { WebhookHosts } from '../engine/webhooks/webhook-hosts.ts'
import { Authentication, hostGuard } from './authentication.ts'
import type { Forwarder } from './cluster/forwarder.ts'
import type { ControlSettings } from './control/control-call.ts'
import type { SignInLinks } from './dashboard/session.ts'
import type { FaultBoxes } from './faults/wire-faults.ts'
import type { EventStreams } from './http/event-stream.ts'
import type { Exchange } from './http/exchange.ts'
import { Listener } from './http/listener.ts'
import { LocalExchange, type LocalRequest } from './http/local-exchange.ts'
import { demandNoExpectation, refuseUnread } from './http/read-body.ts'
import { Reply } from './http/reply.ts'
import { Request } from './http/request.ts'
import { Routes, type Surface, type SurfaceName } from './http/routes.ts'
import { merchantApi } from './merchant/index.ts'
import { payerPages } from './pages/index.ts'
import { describeError, detailsForTheLog, refuse } from './refusal.ts'
import type { RequestLog } from './requests/request-log.ts'
import type { UnusedMerchants } from './unused-merchants.ts'

interface AppSettings {
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
  /** Present if merchants that nobody calls are removed. */
  readonly unused?: UnusedMerchants | undefined
  readonly removeMerchant: (id: string) => Promise<void>
  /** Called with a bug in paysim, for the log. */
  readonly onBug: (cause: unknown) => void
}

/** One HTTP listener with its surfaces. `#answer` is a request's life from start to end. */
export class App {
  readonly listener: Listener
  /** Event streams, which never end by themselves. */
  readonly #streams = new Set<ServerResponse>()
  #running = 0
  readonly #settings: AppSettings
  readonly #ids = new RequestIds(`${process.pid}/${performance.timeOrigin}/${performance.now()}`)
  readonly #guard: ReturnType<typeof hostGuard>
  /** Loaded by the first call for it: no merchant's call needs it. */
  #control: Surface | undefined
  readonly #pages: Surface | undefined
  readonly #merchant: Surface | undefined
  readonly #frontDoor: Surface

  constructor(settings: AppSettings) {
    this.#settings = settings
    this.#guard = hostGuard(settings.allowHosts)
    const { merchant, control } = settings.surfaces
    if (merchant) {
      this.#pages = payerPages(settings)
      this.#merchant = merchantApi(settings, new Authentication(settings.gateway))
    }
    this.#frontDoor = frontDoor(control ? () => null : settings.controlPort)
    this.listener = new Listener(
      exchange => void this.#take(exchange),
      (error, socket) => refuseUnread(settings.gateway.contract, this.#ids.next(), error, socket),
    )
  }

  #take(exchange: Exchange): Promise<unknown> {
    this.#running++
    return this.#answer(exchange)
      .catch(this.#settings.onBug)
      .then(() => this.#running--)
  }

  /** Answers a call of this process, without a connection. Undefined if it needs one. */
  async answer(request: LocalRequest): Promise<WireAnswer | undefined> {
    // As over a connection, everything else gets its turn between two calls.
    await new Promise(setImmediate)
    if (this.listener.closing) return undefined
    return new Promise(resolve => {
      const exchange = new LocalExchange(request, resolve)
      void this.#take(exchange).then(() => exchange.isAnswered || resolve(undefined))
    })
  }

  /**
   * The life of a request. It waits only for what is not ready, so most answers are sent before the next turn of the
   * event loop. `earlier` is the same request, if its account moved to another process before anything was changed.
   */
  async #answer(exchange: Exchange, earlier?: Request): Promise<void> {
    const { gateway, forwarder, requests, unused } = this.#settings
    const request = new Request(exchange, this.#ids, earlier?.startedAt)
    const reply = new Reply(exchange)
    const call = forwarder?.receive(gateway, request, reply)
    const repeat = () => {
      call?.release()
      return this.#answer(exchange, request)
    }
    let surface: Surface | undefined
    let isBegun = false
    let isOver: (() => void) | undefined
    try {
      // Accept. Clients with open connections continue to send while the server stops.
      if (this.listener.closing && !earlier) {
        if (call?.forwardedTo) return call.decline()
        throw refuse('service_unavailable', 'The server is stopping')
      }
      // The process that forwarded it has looked at the host.
      if (!call?.forwardedTo) this.#guard(exchange)
      demandNoExpectation(exchange, reply)
      surface = this.#surfaceOf(request, call?.forwardedTo) ?? (await this.#loadControl())
      const handle = surface.routes.find(request)
      if (gateway.opening && !surface.isAboutStart?.(request)) await gateway.opening
      if (surface.maySendLong?.(request)) exchange.allowLong()

      // In a cluster, the process that holds the account answers.
      if (call && !(await call.isForThisProcess(surface))) return

      // Authenticate. A refused change of the list is removed first, so that this call shows what the next start will find.
      if (gateway.settled) await gateway.settled
      const served = surface.authenticate(request, reply)
      isOver = unused?.begin(served?.merchantId ?? request.params.id ?? '')
      const runtime = served && (served.runtime ?? (await served.open()))
      if (runtime) surface.assign?.(request, runtime)
      if (!handle) throw surface.missing(request, reply)

      const fault = surface.faults?.before(request, reply)
      const isAnswered = fault !== undefined && (await fault)
      if (!isAnswered) {
        // Settle: what is due happens before the handler sees the account.
        const settling = runtime && settle(runtime.account, surface, request)
        if (settling) await settling
        if (call?.hasMoved) return repeat()

        isBegun = true
        const handling = handle(request, reply)
        if (handling instanceof Promise) await handling
      }
    } catch (error) {
      if (call?.isForAnother(error, isBegun)) return repeat()
      const details = detailsForTheLog(error)
      if (details !== undefined) this.#settings.onBug(details)
      describeError(gateway.contract, request, reply, error)
    }
    const fault = surface?.faults?.after(request, reply)
    if (fault) await fault

    // Send, and log.
    reply.header('request-id', request.requestId)
    if (this.isLeaving) reply.header('connection', 'close')
    if (reply.hijacked) this.follow(reply.raw)
    reply.end()
    if (isOver && reply.hijacked && !reply.isOver) reply.raw.once('close', isOver)
    else isOver?.()
    requests.record(request, reply)
    call?.answered()
  }

  /** Undefined if it is the control surface, which is not loaded yet. */
  #surfaceOf(request: Request, forwardedTo: SurfaceName | undefined): Surface | undefined {
    const { merchant, control } = this.#settings.surfaces
    // All calls that another process forwards come to the listener of the merchant API.
    if (forwardedTo && merchant)
      return { merchant: this.#merchant, pages: this.#pages, control: this.#control }[forwardedTo]
    if (control && request.path.startsWith(`${CONTROL_PREFIX}/`)) return this.#control
    if (isBrowserAtRoot(request)) return this.#frontDoor
    if (this.#pages?.routes.find(request)) return this.#pages
    return this.#merchant ?? this.#control
  }

  async #loadControl(): Promise<Surface> {
    const { controlSurface } = await import('./control/index.ts')
    this.#control ??= controlSurface(this.#settings)
    return this.#control
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

/**
 * Executes what is due. The control surface shows everything, so all of it must be safe on disk; a merchant's answer waits
 * for its own record, and after a failed write a read waits for the state before that.
 */
const settle = (account: Account, surface: Surface, request: Request): Promise<void> | undefined =>
  surface.name === 'control' || (request.isSafe && account.stalled) ? account.settled() : account.catchUp()

const DASHBOARD = '/_paysim/dashboard/'

/** Recognises a person with a browser. For programs, the root is an unknown path. */
const isBrowserAtRoot = ({ method, path, headers }: Request): boolean =>
  method === 'GET' && path === '/' && !headers.authorization && /\btext\/html\b/.test(headers.accept ?? '')

/**
 * The root of the server for browsers: it redirects to the dashboard, or shows its address if it has a separate port.
 * Neither has any credentials.
 */
function frontDoor(controlPort: () => number | null): Surface {
  const routes = new Routes()
  routes.get('/', (request, reply) => {
    reply.header('vary', 'Accept, Authorization').header('referrer-policy', 'no-referrer')
    const port = controlPort()
    const wanted = DASHBOARD + placeOf(request)
    if (port === null) return reply.code(303).header('location', wanted).send()
    return sendPage(reply, `http://${hostNameOf(request)}:${port}${wanted}`)
  })
  return {
    name: 'pages',
    routes,
    accountOf: () => undefined,
    isRepeatable: () => true,
    authenticate: () => undefined,
    missing: () => refuse('not_found', 'No such path'),
  }
}

/** That the visitor used. */
const hostNameOf = ({ headers }: Request) => (headers.host ?? '').replace(/:\d+$/, '')

/** A payer's page links a payment of an account, such as `?payment=default.test/pi_…`. */
function placeOf({ query }: Request): string {
  const [, account, payment] = /^([\w.-]+)\/(\w+)$/.exec(String(query.payment ?? '')) ?? []
  return account === undefined ? '' : `${account}/payments/${payment}`
}

const STYLE =
  ':root{color-scheme:light dark;font:16px/1.6 system-ui,sans-serif}main{max-width:36rem;margin:18vh auto;padding:0 20px;overflow-wrap:anywhere}h1{font-size:1.35rem;line-height:1.3}'

async function sendPage(reply: Reply, dashboard: string): Promise<Reply> {
  const { Html, html } = await import('./pages/layout.ts')
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="/checkout/icon.svg" type="image/svg+xml" />
    <title>paysim</title>
    <style>${new Html(STYLE)}</style>
  </head>
  <body>
    <main>
      <h1>This is paysim, a simulator of a payment gateway</h1>
      <p>This is the address of the merchant API, for programs that send its keys.</p>
      <p>The dashboard is at <a href="${dashboard}">${dashboard}</a>, on the port of the control surface.</p>
    </main>
  </body>
</html>
`
  const style = createHash('sha256').update(STYLE).digest('base64')
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; img-src 'self'; style-src 'sha256-${style}'; frame-ancestors 'none'; base-uri 'none'`,
    })
    .send(page.text)
}
