import type { ControlTransport } from '../../client/control-transport.ts'
import type { RequestRecord } from '../../client/index.ts'

/** Prints one attempt to stderr. The client has removed the secrets. */
export function logRequest(record: RequestRecord): void {
  const { method, url, attempt, durationMs, status, requestId, problem, retryInMs, headers } = record
  const facts = [
    `${method} ${url}`,
    attempt > 1 ? `attempt ${attempt}` : '',
    status === undefined ? (problem ?? 'no answer') : String(status),
    `${Math.round(durationMs)} ms`,
    requestId ?? '',
    headers['idempotency-key'] === undefined ? '' : `idempotency-key ${headers['idempotency-key']}`,
    retryInMs === undefined ? '' : `retry in ${Math.round(retryInMs)} ms`,
  ]
  process.stderr.write(`${facts.filter(fact => fact !== '').join('  ')}\n`)
}

/** The same transport, which prints each request to stderr. */
export function logged(transport: ControlTransport): ControlTransport {
  return {
    async open(request, waiting) {
      const startedAt = performance.now()
      const { method, origin, path } = request
      const log = (outcome: Pick<RequestRecord, 'status' | 'requestId' | 'problem'>) =>
        logRequest({
          method,
          url: `${origin}${path}`,
          headers: {},
          attempt: 1,
          durationMs: performance.now() - startedAt,
          ...outcome,
        })
      try {
        const answer = await transport.open(request, waiting)
        const requestId = answer.headers['request-id']
        log({ status: answer.status, ...(requestId === undefined ? {} : { requestId }) })
        return answer
      } catch (error) {
        log({ problem: String(error) })
        throw error
      }
    },
    close: () => transport.close(),
  }
}
