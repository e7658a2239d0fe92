import type { Contract } from '../contract/decisions.ts'
import { renderError } from '../contract/error-body.ts'
import { type Rejection, rejection } from '../contract/errors.ts'
import { UnavailableError } from '../engine/unavailable.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'
import { RefusalError } from './refusal.ts'

/** Words a fault for the wire. What is no refusal is a bug of ours, and says nothing but that. */
export function describeError(contract: Contract, request: Request, reply: Reply, error: unknown): void {
  const replayed = error instanceof RefusalError ? error.replayed : undefined
  const reason = reasonOf(error)
  const { status, contentType, body } = renderError(
    contract,
    reason,
    replayed?.requestId ?? request.requestId,
  )
  if (replayed) reply.header('idempotent-replayed', 'true')
  reply.code(status).header('content-type', contentType).send(body)
}

/** Whether a fault is ours to mend, and not the caller's. */
export const isBug = (error: unknown) => reasonOf(error).code === 'internal_error'

function reasonOf(error: unknown): Rejection {
  if (error instanceof RefusalError) return error.rejection
  if (error instanceof UnavailableError) return rejection('service_unavailable', error.message)
  return rejection('internal_error', 'An internal error occurred in paysim; its log has the details')
}
