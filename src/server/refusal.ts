import type { Contract } from '../contract/decisions.ts'
import { type FieldProblem, invalid, type Rejection, rejection, renderError } from '../contract/errors.ts'
import { AccountStoppedError } from '../engine/account/served-accounts.ts'
import { MerchantTakenError } from '../engine/store/registry.ts'
import { DamagedError, StartError, StoreError, UnavailableError } from '../engine/store/store-errors.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'

/** A refused request, with the error for the caller. */
export class RefusalError extends Error {
  constructor(
    readonly rejection: Rejection,
    /** The request that got this answer first, if it is a repeated answer. */
    readonly replayed?: { readonly requestId: string },
  ) {
    super(rejection.message)
  }
}

export const refuse = (...reason: Parameters<typeof rejection>) => new RefusalError(rejection(...reason))
export const refuseProblems = (problems: readonly FieldProblem[]) => new RefusalError(invalid(problems))
/** The store that all processes share cannot be asked. */
export const storeRefusal = (cause: unknown, advice: string) =>
  refuse(
    'service_unavailable',
    cause instanceof StoreError ? ofStore(cause, advice) : `The store is not responding; ${advice}`,
  )
const ofStore = ({ message }: StoreError, advice: string) =>
  `The store cannot be used now (${message}); ${advice}`
export const notFound = (what: string) => refuse('not_found', `No such ${what}`)

export function demandNoProblems(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw refuseProblems(problems)
}

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
