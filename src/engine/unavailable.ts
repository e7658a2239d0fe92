import { type Rejection, rejection } from '../contract/errors.ts'
import { StartError } from './start-error.ts'

/** Merchants and payers see this text, so it does not name files. Only the log says what to correct on the disk. */
const words = (what: string, cause?: unknown, inDoubt = false) => {
  const why = cause instanceof StartError ? 'the log of paysim says why' : 'is the disk full?'
  return `${what} cannot be written now (${why}); ${inDoubt ? 'it is not known whether the change will be kept' : 'nothing was changed'}`
}

/** The disk cannot be written. A later attempt may succeed. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'

  /** `inDoubt`: what was written could not be removed, so the next start may find it if the process ends now. */
  constructor(
    what: string,
    cause: unknown,
    readonly inDoubt = false,
  ) {
    super(words(what, cause, inDoubt), { cause })
  }
}

/** The process, or the whole system, has as many files open as it may. */
export class TooManyFilesError extends UnavailableError {
  constructor(path: string, cause: unknown) {
    super(path, cause)
    this.message = `${path} cannot be opened now, because too many files are open (see \`ulimit -n\`); nothing was changed`
  }
}

/** Another process may hold the account now. Nothing was written, and this process no longer writes for it. */
export class MovedError extends UnavailableError {
  constructor() {
    super('The journal', undefined)
    this.message = 'This process does not hold the account any more; nothing was changed'
  }
}

export const unavailable = (): Rejection => rejection('service_unavailable', words('The journal'))

/** Whether the system refused a call. */
export const isOfDisk = (cause: unknown): cause is Error => cause instanceof Error && 'syscall' in cause
