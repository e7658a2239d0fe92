/** The application could not be started, or has ended. */
export class ApplicationError extends Error {
  override readonly name = 'ApplicationError'

  constructor(
    message: string,
    /** The last lines that it printed. */
    readonly output: readonly string[] = [],
  ) {
    super(message)
  }
}
