import type { Contract } from '../contract/decisions.ts'
import { renderError } from '../contract/error-body.ts'
import { type Rejection, rejection } from '../contract/errors.ts'
import { UnavailableError } from '../engine/unavailable.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'
import { RefusalError } from './refusal.ts'

/**
 * Renders an error as a response. An error that is not a refusal is a bug in paysim, and its details go only to the
 * log.
 */
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

/** Whether an error is a bug in paysim. */
export const isBug = (error: unknown) => reasonOf(error).code === 'internal_error'

function reasonOf(error: unknown): Rejection {
  if (error instanceof RefusalError) return error.rejection
  if (error instanceof UnavailableError) return rejection('service_unavailable', error.message)
  return rejection('internal_error', 'An internal error occurred in paysim; its log has the details')
}
