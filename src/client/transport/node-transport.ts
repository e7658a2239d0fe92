import type { AgentOptions, ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import { flatHeaders } from '../../contract/wire-answer.ts'
import { basicAuthorization } from '../credentials.ts'
import { allowManyListeners } from '../retry.ts'
import { coded, ProxyRefusal } from './connection-error.ts'
import type { OpenAnswer, TransportSettings, Upload, WireRequest } from './transport.ts'

/** How far a request came. */
export interface RequestProgress {
  /** Whether there was a connection to write to. Before that, nothing can have reached the server. */
  sent: boolean
  /** Whether this connection was kept from an earlier request. */
  reused: boolean
}

export const notYet = (): RequestProgress => ({ sent: false, reused: false })

export interface Conditions {
  readonly progress: RequestProgress
  readonly signal?: AbortSignal | undefined
  readonly limits: {
    readonly connectMs: number
    readonly headersMs: number
    /** For the whole body. Without it, the body may take forever. */
    readonly bodyMs?: number
  }
}

type HttpSettings = Pick<TransportSettings, 'origin' | 'ca' | 'proxy'>

/** Shorter than the idle timeout of most servers. */
const IDLE_MS = 4000

/** Opens requests to one origin with Node's own HTTP client. An answer is there when its headers are. */
export function nodeHttp(settings: HttpSettings) {
  let loaded: Promise<Requester> | undefined
  return {
    async open(request: WireRequest, conditions: Conditions): Promise<OpenAnswer> {
      const { signal } = conditions
      signal?.throwIfAborted()
      allowManyListeners(signal)
      loaded ??= load(settings)
      const { start, secure, answersForProxy } = await loaded
      const { method, path } = request
      const { headers, body } =
        typeof request.body === 'object' ? await openUpload(request, request.body) : withLength(request)
      const file = typeof body === 'object' ? body : undefined
      try {
        const outgoing = start({ method, path, headers })
        const incoming = await answerTo(outgoing, body, { ...conditions, secure })
        if (file) incoming.once('close', () => file.destroy())
        if (answersForProxy && incoming.statusCode === 407) {
          incoming.destroy()
          throw new ProxyRefusal(407)
        }
        return { status: incoming.statusCode ?? 0, headers: flatHeaders(incoming.headers), body: incoming }
      } catch (cause) {
        file?.destroy()
        throw signal?.aborted ? signal.reason : cause
      }
    },
    close: async () => (await loaded)?.close(),
  }
}

/** Starts requests, each on a connection that was kept or is new. */
interface Requester {
  readonly start: (request: Pick<WireRequest, 'method' | 'path' | 'headers'>) => ClientRequest
  /** Whether these connections are encrypted. */
  readonly secure: boolean
  /** Whether an answer may come from the proxy itself. */
  readonly answersForProxy?: boolean
  readonly close: () => void
}

async function load({ origin, ca, proxy }: HttpSettings): Promise<Requester> {
  const options = { keepAlive: true, timeout: IDLE_MS, ...(ca === undefined ? {} : { ca }) }
  const target = new URL(origin)
  if (!proxy) return requester(target, options)
  return target.protocol === 'https:'
    ? throughTunnel(target, proxy, options)
    : throughProxy(target, proxy, options)
}

async function requester(peer: URL, options: AgentOptions): Promise<Requester> {
  const secure = peer.protocol === 'https:'
  const { Agent, request } = secure ? await import('node:https') : await import('node:http')
  const agent = new Agent(options)
  const { protocol, hostname, port } = urlToHttpOptions(peer)
  return {
    start: ({ method, path, headers }) => request({ protocol, hostname, port, method, path, headers, agent }),
    secure,
    close: () => agent.destroy(),
  }
}

/** Node would take the `Host` of a request, which is the target, for the name on the certificate. */
function toProxy(proxy: URL, options: AgentOptions): Promise<Requester> {
  const isAddress = /^\[|^[\d.]+$/.test(proxy.hostname)
  return requester(proxy, { ...options, ...{ servername: isAddress ? '' : proxy.hostname } })
}

/** A plain request is sent to the proxy with its whole address, which every proxy allows. */
async function throughProxy({ host, origin }: URL, proxy: URL, options: AgentOptions): Promise<Requester> {
  const plain = await toProxy(proxy, options)
  return {
    ...plain,
    start: ({ method, path, headers }) =>
      plain.start({
        method,
        path: origin + path,
        headers: { host, ...headers, ...credentialsFor(proxy) },
      }),
    answersForProxy: true,
  }
}

/** An encrypted request needs a connection to the server itself: the proxy passes it on without reading it. */
async function throughTunnel(target: URL, proxy: URL, options: AgentOptions): Promise<Requester> {
  const [{ Agent, request }, asker] = await Promise.all([import('node:https'), toProxy(proxy, options)])
  const agent = new Agent(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (settings, done) => {
    const failed = done as ((cause: Error) => void) | undefined
    openTunnel(asker, target, proxy)
      .then(socket => connect({ ...settings, ...{ socket } }) as Socket)
      .then(socket => done?.(null, socket), failed)
    return undefined
  }
  return {
    start: ({ method, path, headers }) => request(target.origin, { method, path, headers, agent }),
    secure: true,
    close: () => {
      agent.destroy()
      asker.close()
    },
  }
}

function openTunnel(asker: Requester, { hostname, port }: URL, proxy: URL): Promise<Socket> {
  const path = `${hostname}:${port || 443}`
  const headers = { host: path, ...credentialsFor(proxy) }
  return new Promise((resolve, reject) => {
    const asking = asker.start({ method: 'CONNECT', path, headers })
    asking.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket)
      socket.destroy()
      reject(new ProxyRefusal(statusCode))
    })
    asking.once('error', reject).end()
  })
}

function credentialsFor({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const credentials = basicAuthorization(decodeURIComponent(username), decodeURIComponent(password))
  return { 'proxy-authorization': credentials }
}

/** The body of one attempt. A file is opened for each attempt and closed after it. */
interface Payload {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Readable | undefined
}

/** Node sends no length with a method that usually has no body, and the server would take it for the next request. */
function withLength({ headers, body }: WireRequest): Payload {
  if (typeof body !== 'string') return { headers, body: undefined }
  return { headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body }
}

async function openUpload({ headers }: WireRequest, upload: Upload): Promise<Payload> {
  const { headers: own, body } = await upload.open()
  return { headers: { ...headers, ...own }, body }
}

function answerTo(
  outgoing: ClientRequest,
  body: string | Readable | undefined,
  { progress, limits, secure, signal }: Conditions & { readonly secure: boolean },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    let isAnswered = false
    const giveUp = (cause: unknown) => {
      clearTimeout(timer)
      // Without a connection, a request that is destroyed reports no error.
      outgoing.destroy()
      reject(cause)
    }
    const giveUpAfter = (milliseconds: number, code: string) => {
      clearTimeout(timer)
      timer = setTimeout(() => giveUp(coded(code)), milliseconds)
    }
    const connected = () => {
      progress.sent = true
      giveUpAfter(limits.headersMs, 'HEADERS_TIMEOUT')
    }
    const abort = () => giveUp(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    giveUpAfter(limits.connectMs, 'CONNECT_TIMEOUT')
    outgoing.on('socket', socket => {
      progress.reused = outgoing.reusedSocket
      if (outgoing.reusedSocket) connected()
      else socket.once(secure ? 'secureConnect' : 'connect', connected)
    })
    // Keep this listener: later errors are reported through the body.
    outgoing.on('error', giveUp)
    outgoing.on('close', () => {
      signal?.removeEventListener('abort', abort)
      // The server has changed to another protocol, which Node reports in no other way.
      if (!isAnswered) giveUp(coded('ECONNRESET'))
    })
    outgoing.on('response', incoming => {
      isAnswered = true
      clearTimeout(timer)
      // A limit for the whole body: an answer that drips forever never triggers a limit between chunks.
      const { bodyMs } = limits
      const late = bodyMs && setTimeout(() => incoming.destroy(coded('BODY_TIMEOUT')), bodyMs)
      incoming.on('close', () => clearTimeout(late))
      resolve(incoming)
    })
    if (typeof body !== 'object') return void outgoing.end(body)
    // A long upload may take longer than its answer, as long as it goes on.
    body.on('data', () => progress.sent && timer?.refresh())
    body.once('error', giveUp).pipe(outgoing)
  })
}

/** Whether there was no answer in time. */
export const isTimeout = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && String(cause.code).endsWith('_TIMEOUT')
