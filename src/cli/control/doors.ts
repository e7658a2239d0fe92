import { type ControlDoor, controlDoor } from '../../client/control-door.ts'
import { asCurl, DryRun } from '../call/dry-run.ts'
import { logRequest } from '../call/request-log.ts'

/** For --dry-run: shows the request and does not send it. */
export const dryRunDoor = (): ControlDoor => ({
  open: async request => {
    throw new DryRun(asCurl(request, `-H "Authorization: Bearer $PAYSIM_CONTROL_TOKEN"`))
  },
  close: async () => {},
})

/** For --verbose: logs each request on stderr. */
export function loggingDoor(): ControlDoor {
  const door = controlDoor()
  return {
    async open(request, signal) {
      const startedAt = performance.now()
      const { method, origin, path } = request
      const log = (outcome: { status: number; requestId?: string } | { problem: string }) =>
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
        log({ status: answer.status, ...(requestId === undefined ? {} : { requestId }) })
        return answer
      } catch (error) {
        log({ problem: String(error) })
        throw error
      }
    },
    close: () => door.close(),
  }
}
