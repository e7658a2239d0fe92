import type { ServerResponse } from 'node:http'

/** Notices that a caller has gone away before the end of the answer. Call `leave` when nobody needs to know any more. */
export function watchCaller(response: ServerResponse): {
  readonly gone: AbortSignal
  readonly leave: () => void
} {
  const gone = new AbortController()
  const onClose = () => {
    // After an answer, the same is told when all of it is sent.
    if (!response.writableEnded) gone.abort()
  }
  response.once('close', onClose)
  return { gone: gone.signal, leave: () => void response.off('close', onClose) }
}
