import { type Rejection, rejection } from '../contract/errors.ts'

const words = (what: string) => `${what} cannot be written now (is the disk full?); nothing was changed`

/** The disk cannot be written. Nothing was changed, and a later attempt may succeed. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'

  constructor(what: string, cause: unknown) {
    super(words(what), { cause })
  }
}

export const unavailable = (): Rejection => rejection('service_unavailable', words('The journal'))
