import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { flatHeaders, type WireAnswer } from '../../contract/wire-answer.ts'
import { allowManyListeners } from '../many-listeners.ts'
import { connectionError } from './connection-error.ts'
import { openPayload } from './payload.ts'
import {
  LONGEST_ANSWER_BYTES,
  type OpenAnswer,
  type Transport,
  type TransportSettings,
  type WireRequest,
} from './transport.ts'

/**
 * A transport on Node's own HTTP client, for a process that makes a call and exits. Undici parses with WebAssembly:
 * loading it, and waiting for V8 to finish optimizing it at exit, takes longer than the rest of such a process.
 */
export function nodeTransport(settings: TransportSettings): Transport {
  const { open, close } = nodeHttp(settings)
  const { connectTimeoutMs, timeoutMs } = settings
  const limits = { connectMs: connectTimeoutMs, headersMs: timeoutMs, bodyMs: timeoutMs }
  return {
    async send(request, signal) {
      const progress = notYet()
      try {
        return await readWhole(await open(request, { signal, progress, limits }))
      } catch (cause) {
        if (signal?.aborted) throw signal.reason
        const { sent } = progress
        throw connectionError(cause, { ...settings, sent, method: request.method, proxy: undefined })
      }
    },
    close,
  }
}

/** How far a request came. */
export interface Progress {
  /** Whether there was a connection to write to. Before that, nothing can have reached the server. */
  sent: boolean
  /** Whether this connection was kept from an earlier request. */
  reused: boolean
}

export const notYet = (): Progress => ({ sent: false, reused: false })

export interface Conditions {
  readonly progress: Progress
  readonly signal?: AbortSignal | undefined
  readonly limits: {
    readonly connectMs: number
    readonly headersMs: number
    /** For the whole body. Without it, the body may take forever. */
    readonly bodyMs?: number
  }
}

interface HttpSettings extends Pick<TransportSettings, 'origin' | 'ca'> {
  /** How long to keep an idle connection; by default until the server closes it. */
  readonly idleMs?: number
}

/** Opens requests to one origin with Node's own HTTP client. An answer is there when its headers are. */
export function nodeHttp({ origin, ca, idleMs }: HttpSettings) {
  const secure = origin.startsWith('https:')
  let loaded: Promise<Requester> | undefined
  return {
    async open(request: WireRequest, conditions: Conditions): Promise<OpenAnswer> {
      const { signal } = conditions
      signal?.throwIfAborted()
      allowManyListeners(signal)
      loaded ??= load(secure, { ...(ca === undefined ? {} : { ca }), ...(idleMs ? { timeout: idleMs } : {}) })
      const { start } = await loaded
      const { method, path } = request
      const { headers, body, release } = await openPayload(request)
      try {
        const outgoing = start(origin, { method, path, headers, ...(signal ? { signal } : {}) })
        const incoming = await answerTo(outgoing, body, { ...conditions, secure })
        incoming.once('close', release)
        return { status: incoming.statusCode ?? 0, headers: flatHeaders(incoming.headers), body: incoming }
      } catch (cause) {
        release()
        throw signal?.aborted ? signal.reason : cause
      }
    },
    close: async () => (await loaded)?.close(),
  }
}

interface Requester {
  readonly start: (origin: string, options: RequestOptions) => ClientRequest
  readonly close: () => void
}

async function load(
  secure: boolean,
  options: { readonly ca?: string; readonly timeout?: number },
): Promise<Requester> {
  const { Agent, request } = secure ? await import('node:https') : await import('node:http')
  const agent = new Agent({ keepAlive: true, ...options })
  return {
    start: (origin, options) => request(origin, { ...options, agent }),
    close: () => agent.destroy(),
  }
}

function answerTo(
  outgoing: ClientRequest,
  body: string | Readable | undefined,
  { progress, limits, secure }: Conditions & { readonly secure: boolean },
): Promise<IncomingMessage> {
  let timer: NodeJS.Timeout | undefined
  const giveUpAfter = (milliseconds: number, code: string, on: ClientRequest | IncomingMessage) => {
    clearTimeout(timer)
    timer = setTimeout(() => on.destroy(coded(code)), milliseconds)
  }
  const connected = () => {
    progress.sent = true
    giveUpAfter(limits.headersMs, 'HEADERS_TIMEOUT', outgoing)
  }
  return new Promise((resolve, reject) => {
    giveUpAfter(limits.connectMs, 'CONNECT_TIMEOUT', outgoing)
    outgoing.once('socket', socket => {
      progress.reused = outgoing.reusedSocket
      if (outgoing.reusedSocket) connected()
      else socket.once(secure ? 'secureConnect' : 'connect', connected)
    })
    // Keep this listener: later errors are reported through the body.
    outgoing.on('error', cause => {
      clearTimeout(timer)
      reject(cause)
    })
    outgoing.once('response', incoming => {
      clearTimeout(timer)
      // A limit for the whole body: an answer that drips forever never triggers a limit between chunks.
      if (limits.bodyMs !== undefined) giveUpAfter(limits.bodyMs, 'BODY_TIMEOUT', incoming)
      incoming.once('close', () => clearTimeout(timer))
      resolve(incoming)
    })
    if (typeof body === 'object') body.once('error', cause => outgoing.destroy(cause)).pipe(outgoing)
    else outgoing.end(body)
  })
}

async function readWhole({ status, headers, body }: OpenAnswer): Promise<WireAnswer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > LONGEST_ANSWER_BYTES) throw coded('BODY_TOO_LONG')
    chunks.push(chunk)
  }
  return { status, headers, text: Buffer.concat(chunks).toString('utf8') }
}

const coded = (code: string) => Object.assign(new Error(code), { code })

/** Whether there was no answer in time. */
export const isTimeout = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && String(cause.code).endsWith('_TIMEOUT')
