import { type FieldFault, invalid, type Rejection, rejection } from '../contract/errors.ts'

/** A request that ends here, with what the caller is told. */
export class Refusal extends Error {
  constructor(
    readonly rejection: Rejection,
    /** The request that the answer was first given to, where it is given again. */
    readonly replayed?: { readonly requestId: string },
  ) {
    super(rejection.message)
  }
}

export const refuse = (...reason: Parameters<typeof rejection>) => new Refusal(rejection(...reason))
export const refuseFaults = (faults: readonly FieldFault[]) => new Refusal(invalid(faults))
export const notFound = (what: string) => refuse('not_found', `No such ${what}`)

export function demandNoFaults(faults: readonly FieldFault[]): void {
  if (faults.length > 0) throw refuseFaults(faults)
}
