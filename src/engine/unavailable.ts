import { type Rejection, rejection } from '../contract/errors.ts'
import { messageOf } from './damaged-error.ts'
import { StartError } from './start-error.ts'

/** Why a store that is not on a disk cannot be used. Its message is for callers, and the log has the rest. */
export class StoreError extends Error {
  override name = 'StoreError'
}

/** Merchants and payers see this text, so it names no file and no address. Only the log says what to correct there. */
const words = (what: string, cause?: unknown, inDoubt = false) =>
  `${what} cannot be written now (${reasonOf(cause)}); ${inDoubt ? 'it is not known whether the change will be kept' : 'nothing was changed'}`

function reasonOf(cause: unknown): string {
  if (cause instanceof UnavailableError) return reasonOf(cause.cause)
  if (cause instanceof StoreError) return cause.message
  if (cause === undefined) return 'try again'
  // What the system said, without the path: `ENOSPC: no space left on device`.
  const said = cause instanceof StartError ? null : /^E[A-Z0-9]+: [^,]+/.exec(messageOf(cause))
  return said?.[0] ?? 'the log of paysim says why'
}

/** The store cannot be written. A later attempt may succeed. */
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

/** Why nothing is decided while the journal cannot be written. */
export const unavailable = (cause: unknown): Rejection =>
  rejection('service_unavailable', words('The journal', cause))

/** Whether the system refused a call. */
export const isOfDisk = (cause: unknown): cause is Error => cause instanceof Error && 'syscall' in cause
