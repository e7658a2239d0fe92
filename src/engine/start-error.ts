/**
 * A problem that the person who starts the program must correct. It is printed as one line, without a stack.
 */
export class StartError extends Error {
  readonly exitCode: 1 | 2 | 7

  constructor(message: string, exitCode: 1 | 2 | 7 = 1) {
    super(message)
    this.name = 'StartError'
    this.exitCode = exitCode
  }
}
