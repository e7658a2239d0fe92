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
