import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { connectionError } from './connection-error.ts'
import { flatHeaders } from './flat-headers.ts'
import { openPayload } from './payload.ts'
import {
  LONGEST_ANSWER_BYTES,
  type Transport,
  type TransportSettings,
  type WireAnswer,
  type WireRequest,
} from './transport.ts'

/**
 * Node's own HTTP client behind the door, for a process that makes a call and ends. Undici parses with WebAssembly:
 * to load it, and to wait at exit for V8's second compilation of it, takes longer than all the rest of such a process.
 */
export function nodeTransport(settings: TransportSettings): Transport {
  const secure = settings.origin.startsWith('https:')
  let opened: Promise<Requester> | undefined

  async function send(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer> {
    opened ??= open(secure, settings.ca)
    const { start } = await opened
    const { headers, body, release } = await openPayload(request)
    const state = { sent: false }
    try {
      signal?.throwIfAborted()
      const outgoing = start(request.origin, { method: request.method, path: request.path, headers })
      return await exchange(outgoing, body, { ...settings, secure, state, signal })
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      throw connectionError(cause, {
        ...settings,
        sent: state.sent,
        method: request.method,
        proxy: undefined,
      })
    } finally {
      release()
    }
  }

  return { send, close: async () => (await opened)?.close() }
}

interface Requester {
  readonly start: (origin: string, options: RequestOptions) => ClientRequest
  readonly close: () => void
}

async function open(secure: boolean, ca: string | undefined): Promise<Requester> {
  const { Agent, request } = secure ? await import('node:https') : await import('node:http')
  const agent = new Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) })
  return {
    start: (origin, options) => request(origin, { ...options, agent }),
    close: () => agent.destroy(),
  }
}

interface Conditions extends TransportSettings {
  readonly secure: boolean
  readonly signal: AbortSignal | undefined
  /** Whether a connection was there to write to: before that nothing can have reached the server. */
  readonly state: { sent: boolean }
}

function exchange(
  outgoing: ClientRequest,
  body: string | Readable | undefined,
  { connectTimeoutMs, timeoutMs, secure, state, signal }: Conditions,
): Promise<WireAnswer> {
  let timer: NodeJS.Timeout | undefined
  const giveUpAfter = (milliseconds: number, code: string) => {
    clearTimeout(timer)
    timer = setTimeout(() => outgoing.destroy(coded(code)), milliseconds)
  }
  const onAbort = () => outgoing.destroy(coded('ABORTED'))
  const connected = () => {
    state.sent = true
    giveUpAfter(timeoutMs, 'HEADERS_TIMEOUT')
  }
  return new Promise<WireAnswer>((resolve, reject) => {
    giveUpAfter(connectTimeoutMs, 'CONNECT_TIMEOUT')
    signal?.addEventListener('abort', onAbort, { once: true })
    outgoing.once('socket', socket => {
      if (outgoing.reusedSocket) connected()
      else socket.once(secure ? 'secureConnect' : 'connect', connected)
    })
    outgoing.once('error', reject)
    outgoing.once('response', incoming => {
      // In all, and not between two pieces: one that drips for ever has no pause to be noticed by.
      giveUpAfter(timeoutMs, 'BODY_TIMEOUT')
      read(incoming).then(resolve, reject)
    })
    if (typeof body === 'object') body.once('error', cause => outgoing.destroy(cause)).pipe(outgoing)
    else outgoing.end(body)
  }).finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  })
}

async function read(incoming: IncomingMessage): Promise<WireAnswer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    if (length > LONGEST_ANSWER_BYTES) throw coded('BODY_TOO_LONG')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: incoming.statusCode ?? 0, headers: flatHeaders(incoming.headers), text }
}

const coded = (code: string) => Object.assign(new Error(code), { code })
