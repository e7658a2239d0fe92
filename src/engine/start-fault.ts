/** Something the person who starts the program has to mend. Said in one line, without a stack. */
export class StartFault extends Error {
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.name = 'StartFault'
    this.exitCode = exitCode
  }
}
