import { type ControlDoor, controlDoor } from '../../client/control-door.ts'
import { logRequest } from '../call/request-log.ts'

/** Tells of each request on stderr. */
export function loggingDoor(): ControlDoor {
  const door = controlDoor()
  return {
    async open(request, signal) {
      const startedAt = performance.now()
      const { method, origin, path } = request
      const tell = (outcome: { status: number; requestId?: string } | { problem: string }) =>
        logRequest({
          method,
          url: `${origin}${path}`,
          headers: {},
          attempt: 1,
          durationMs: performance.now() - startedAt,
          ...outcome,
        })
      try {
        const answer = await door.open(request, signal)
        const requestId = answer.headers['request-id']
        tell({ status: answer.status, ...(requestId === undefined ? {} : { requestId }) })
        return answer
      } catch (error) {
        tell({ problem: String(error) })
        throw error
      }
    },
    close: () => door.close(),
  }
}
