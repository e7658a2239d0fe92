import type { RequestRecord } from '../../client/index.ts'

/** One attempt, on stderr; the client has taken the secrets out of it. */
export function logRequest(record: RequestRecord): void {
  const { method, url, attempt, durationMs, status, requestId, problem, retryInMs, headers } = record
  const facts = [
    `${method} ${url}`,
    attempt > 1 ? `attempt ${attempt}` : '',
    status === undefined ? (problem ?? 'no answer') : String(status),
    `${Math.round(durationMs)} ms`,
    requestId ?? '',
    headers['idempotency-key'] === undefined ? '' : `idempotency-key ${headers['idempotency-key']}`,
    retryInMs === undefined ? '' : `again in ${Math.round(retryInMs)} ms`,
  ]
  process.stderr.write(`${facts.filter(fact => fact !== '').join('  ')}\n`)
}
