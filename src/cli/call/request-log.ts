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
