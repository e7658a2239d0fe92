import type { FieldProblem } from '../../contract/errors.ts'
import type { IdempotencyKey } from '../../domain/commands.ts'
import type { Request } from '../http/request.ts'

const FIELD = 'Idempotency-Key'
const PRINTABLE = /^[\x20-\x7e]{1,255}$/

/** The key of a request, or its problem. */
export function readKey(
  request: Request,
  { required }: { required: boolean },
): { key: string | undefined; problems: readonly FieldProblem[] } {
  const given = request.headers['idempotency-key']
  // Node joins repeated headers into one value that nobody sent.
  const repeated = given !== undefined && request.repeats('idempotency-key')
  if (given === undefined)
    return { key: undefined, problems: required ? [{ field: FIELD, message: 'is required' }] : [] }
  if (repeated) return { key: undefined, problems: [{ field: FIELD, message: 'must be given once' }] }
  if (typeof given !== 'string' || !PRINTABLE.test(given))
    return {
      key: undefined,
      problems: [{ field: FIELD, message: 'must be 1 to 255 printable ASCII characters' }],
    }
  return { key: given, problems: [] }
}

/** Scoped by method and path: one intent's answer is never another's. */
export function idempotency(
  { method, address, requestId }: Request,
  key: string | undefined,
  fingerprint: () => string,
): IdempotencyKey | undefined {
  if (key === undefined) return undefined
  return { scope: `${method} ${address} ${key}`, fingerprint: fingerprint(), requestId }
}
