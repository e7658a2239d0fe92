import { type FieldProblem, invalid, type Rejection, rejection } from '../contract/errors.ts'
import { StoreError } from '../engine/unavailable.ts'

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
export const ofStore = ({ message }: StoreError, advice: string) =>
  `The store cannot be used now (${message}); ${advice}`
export const notFound = (what: string) => refuse('not_found', `No such ${what}`)

export function demandNoProblems(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw refuseProblems(problems)
}
