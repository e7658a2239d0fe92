import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { ControlUnreachableError } from './control-error.ts'
import { connectionError } from './transport/connection-error.ts'
import { flatHeaders } from './transport/flat-headers.ts'
import { openPayload } from './transport/payload.ts'
import type { WireRequest } from './transport/transport.ts'

/** An answer as it begins: the body is still to come, and may never end. */
export interface OpenAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/** The way to a control surface. Whoever wants to see a request without sending it puts another in its place. */
export interface ControlDoor {
  open(request: WireRequest, signal?: AbortSignal): Promise<OpenAnswer>
  /** Ends its connections; streams with them. */
  close(): Promise<void>
}

/** Node's own client: it loads at once, and waits as long as an advance over many deliveries takes. */
export function controlDoor(): ControlDoor {
  let opened: Promise<Requester> | undefined
  return {
    async open(request, signal) {
      signal?.throwIfAborted()
      opened ??= load(request.origin.startsWith('https:'))
      const requester = await opened
      return (await begin(requester, request, signal)) ?? unreused(await begin(requester, request, signal))
    },
    close: async () => (await opened)?.close(),
  }
}

interface Requester {
  readonly start: (origin: string, options: RequestOptions) => ClientRequest
  readonly close: () => void
}

/** The server closes what lies idle for longer. */
const IDLE_MS = 4000

async function load(secure: boolean): Promise<Requester> {
  const { Agent, request } = secure ? await import('node:https') : await import('node:http')
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })
  return {
    start: (origin, options) => request(origin, { ...options, agent }),
    close: () => agent.destroy(),
  }
}

/** Undefined where a kept connection turned out to have been closed: the request never began. */
async function begin(
  { start }: Requester,
  request: WireRequest,
  signal: AbortSignal | undefined,
): Promise<OpenAnswer | undefined> {
  const { method, path, origin } = request
  const { headers, body, release } = await openPayload(request)
  let outgoing: ClientRequest | undefined
  try {
    outgoing = start(origin, { method, path, headers, ...(signal ? { signal } : {}) })
    const incoming = await answerTo(outgoing, body)
    return { status: incoming.statusCode ?? 0, headers: flatHeaders(incoming.headers), body: incoming }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (outgoing?.reusedSocket && isReset(cause)) return undefined
    throw unreachable(cause, origin, { method, sent: false })
  } finally {
    release()
  }
}

function answerTo(outgoing: ClientRequest, body: string | Readable | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve)
    // It stays to listen: what breaks later is told by the body.
    outgoing.on('error', reject)
    if (typeof body === 'object') body.once('error', cause => outgoing.destroy(cause)).pipe(outgoing)
    else outgoing.end(body)
  })
}

const isReset = (cause: unknown) =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')

function unreused(answer: OpenAnswer | undefined): OpenAnswer {
  if (answer) return answer
  throw new ControlUnreachableError('the control surface closes every connection at once')
}

/** In words that say what to do. `sent`: the answer had begun. */
export function unreachable(
  cause: unknown,
  origin: string,
  { method, sent }: { readonly method: string; readonly sent: boolean },
): ControlUnreachableError {
  const { message } = connectionError(cause, { origin, method, sent, connectTimeoutMs: 0, timeoutMs: 0 })
  return new ControlUnreachableError(message, { cause })
}
