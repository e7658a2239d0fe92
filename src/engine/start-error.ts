/** Something the person who starts the program has to mend. Said in one line, without a stack. */
export class StartError extends Error {
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.name = 'StartError'
    this.exitCode = exitCode
  }
}
