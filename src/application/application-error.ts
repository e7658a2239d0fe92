/** The application could not be started, or is not there any more. */
export class ApplicationError extends Error {
  override readonly name = 'ApplicationError'

  constructor(
    message: string,
    /** The last of what it printed. */
    readonly output: readonly string[] = [],
  ) {
    super(message)
  }
}
