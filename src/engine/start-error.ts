import { isOfDisk, UnavailableError } from './unavailable.ts'

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
    super(advice === undefined ? what : `${what}. ${advice}`)
    this.name = 'StartError'
  }
}

/** A full or failing disk is for the user to correct: says so, instead of what the system said alone. */
export function ofDirectory(path: string, cause: unknown): unknown {
  const refused = cause instanceof UnavailableError ? cause.cause : cause
  if (!isOfDisk(refused)) return cause
  return new StartError(
    `the data directory ${path} cannot be used: ${refused.message}; make room there, or use another --data`,
  )
}
