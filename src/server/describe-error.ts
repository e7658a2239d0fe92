import type { Contract } from '../contract/decisions.ts'
import { renderError } from '../contract/error-body.ts'
import { type Rejection, rejection } from '../contract/errors.ts'
import { DamagedError } from '../engine/damaged-error.ts'
import { MerchantTakenError } from '../engine/registry.ts'
import { AccountStoppedError } from '../engine/served-account.ts'
import { StartError } from '../engine/start-error.ts'
import { StoreError, UnavailableError } from '../engine/unavailable.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'
import { ofStore, RefusalError } from './refusal.ts'

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

/**
 * What the log must have of an error, because the response does not have it: a bug in paysim, a damaged file, or what a
 * person must correct on the disk.
 */
export function detailsForTheLog(error: unknown): unknown {
  if (error instanceof UnavailableError) return isForTheLog(error.cause) ? error.cause : undefined
  if (error instanceof AccountStoppedError) return undefined
  return isForTheLog(error) || reasonOf(error).code === 'internal_error' ? error : undefined
}

const isForTheLog = (error: unknown) => error instanceof DamagedError || error instanceof StartError

function reasonOf(error: unknown): Rejection {
  if (error instanceof RefusalError) return error.rejection
  if (error instanceof UnavailableError) return rejection('service_unavailable', error.message)
  if (error instanceof StoreError) return rejection('service_unavailable', ofStore(error, 'try again'))
  if (error instanceof MerchantTakenError) return rejection('invalid_state', error.message)
  if (error instanceof AccountStoppedError) return error.rejection
  if (error instanceof DamagedError)
    return rejection(
      'service_unavailable',
      'A file of this account is damaged; the log of paysim has the details',
    )
  if (error instanceof StartError)
    return rejection(
      'service_unavailable',
      'A file or folder that this call needs cannot be used; the log of paysim has the details',
    )
  return rejection('internal_error', 'An internal error occurred in paysim; its log has the details')
}
