import type { ServerResponse } from 'node:http'

/** Notices that a caller has gone away before the end of the answer. Call `leave` when this is no longer needed. */
export function watchCaller(response: ServerResponse): {
  readonly gone: AbortSignal
  readonly leave: () => void
} {
  const gone = new AbortController()
  const onClose = () => {
    // The event is also emitted after a complete answer.
    if (!response.writableEnded) gone.abort()
  }
  response.once('close', onClose)
  return { gone: gone.signal, leave: () => void response.off('close', onClose) }
}
