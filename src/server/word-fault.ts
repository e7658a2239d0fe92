import type { Contract } from '../contract/decisions.ts'
import { renderError } from '../contract/error-body.ts'
import { type Rejection, rejection } from '../contract/errors.ts'
import { Unavailable } from '../engine/unavailable.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'
import { Refusal } from './refusal.ts'

/** Words a fault for the wire. What is no refusal is a bug of ours, and says nothing but that. */
export function wordFault(contract: Contract, request: Request, reply: Reply, fault: unknown): void {
  const replayed = fault instanceof Refusal ? fault.replayed : undefined
  const reason = reasonOf(fault)
  const { status, contentType, body } = renderError(
    contract,
    reason,
    replayed?.requestId ?? request.requestId,
  )
  if (replayed) reply.header('idempotent-replayed', 'true')
  reply.code(status).header('content-type', contentType).send(body)
}

/** Whether a fault is ours to mend, and not the caller's. */
export const isBug = (fault: unknown) => reasonOf(fault).code === 'internal_error'

function reasonOf(fault: unknown): Rejection {
  if (fault instanceof Refusal) return fault.rejection
  if (fault instanceof Unavailable) return rejection('service_unavailable', fault.message)
  return rejection('internal_error', 'paysim met a fault of its own; its log says more')
}
