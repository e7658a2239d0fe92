import type { WireAnswer } from '../contract/wire-answer.ts'
import { ControlUnreachableError } from './errors.ts'
import { connectionError } from './transport/connection-error.ts'
import { nodeHttp, notYet } from './transport/node-transport.ts'
import type { OpenAnswer, WireRequest } from './transport/transport.ts'

/** How long to wait for the start of an answer. */
export interface Waiting {
  readonly signal: AbortSignal | undefined
  readonly longestMs: number
}

/** The connection to a control surface. Replace it to see requests without sending them. */
export interface ControlTransport {
  /** Asks a simulator of this process. Undefined if the call needs a connection. */
  ask?(request: WireRequest): Promise<WireAnswer | undefined>
  open(request: WireRequest, waiting: Waiting): Promise<OpenAnswer>
  /** Closes its connections, including streams. */
  close(): Promise<void>
}

/** A call on a kept connection that the server has closed is made again on another one. */
export function controlTransport(): ControlTransport {
  let http: ReturnType<typeof nodeHttp> | undefined
  return {
    async open(request, { signal, longestMs }) {
      const { origin, method } = request
      const limits = { connectMs: longestMs, headersMs: longestMs }
      http ??= nodeHttp({ origin })
      for (;;) {
        const progress = notYet()
        try {
          return await http.open(request, { signal, progress, limits })
        } catch (cause) {
          if (signal?.aborted) throw cause
          if (!progress.reused || !isReset(cause))
            throw unreachable(cause, origin, { method, sent: progress.sent, longestMs })
        }
      }
    },
    close: async () => http?.close(),
  }
}

const isReset = (cause: unknown) =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')

/** Explains the error, and what to do. `sent`: the request may have reached the server. */
export function unreachable(
  cause: unknown,
  origin: string,
  {
    method,
    sent,
    longestMs = 0,
  }: { readonly method: string; readonly sent: boolean; readonly longestMs?: number },
): ControlUnreachableError {
  const { message } = connectionError(cause, {
    origin,
    method,
    sent,
    connectTimeoutMs: longestMs,
    timeoutMs: longestMs,
  })
  return new ControlUnreachableError(message, { cause })
}
