import { basename, dirname } from 'node:path'
import { type Rejection, rejection } from '../../contract/errors.ts'

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

/**
 * A problem that the person who starts the program must correct. It is printed as one line, without a stack.
 */
export class StartError extends Error {
  constructor(
    /** What is wrong, and where. */
    readonly what: string,
    readonly exitCode: 1 | 2 | 7 = 1,
    /** What to do about it, if the text above does not say it. */
    readonly advice?: string,
  ) {
    super(advice === undefined ? what : `${what}; ${advice}`)
    this.name = 'StartError'
  }
}

/** A part of the data directory is not what paysim wrote. This is found when somebody asks for that part. */
export class DamagedError extends Error {
  constructor(where: string, why: string) {
    super(`${where} is damaged: ${why}; restore the account's folder from a backup`)
    this.name = 'DamagedError'
  }
}

/** The message of anything that was thrown. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Something that was stored is gone. The account stops; the person decides how it goes on. */
export class LossError extends StartError {
  constructor(
    /** The path of the file, possibly with the number of a line. */
    readonly file: string,
    readonly why: string,
    owner?: { readonly account: string; readonly store: string },
  ) {
    const command = owner && commandFor(owner.store, owner.account)
    super(
      `${file}: ${why}. Nothing was changed. Restore the file from a backup${command === undefined ? '' : `, or continue with what is whole: ${command}`}`,
    )
    this.name = 'LossError'
  }

  /** The same, with the command that accepts it. */
  of(account: string, store: string): LossError {
    return new LossError(this.file, this.why, { account, store })
  }

  /** For callers. It names the file inside the account's folder, and no path of this machine. */
  rejectionOf(account: string) {
    const folder = basename(dirname(this.file))
    const name = basename(this.file)
    const file = folder === account ? name : `${folder}/${name}`
    return rejection(
      'service_unavailable',
      `The account ${account} is stopped over a loss in ${file}. Restore that file, or stop paysim and run ` +
        `\`${commandFor('STORE', account)}\` to continue with what is whole; the log of paysim has the details`,
    )
  }
}

export const commandFor = (store: string, account: string) => `paysim store accept-loss ${store} ${account}`
