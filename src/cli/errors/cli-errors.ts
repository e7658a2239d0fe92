/** What an error says, or whatever else was thrown. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Something that the caller has to correct. */
export class UsageError extends Error {}

/** Problems in files. Each line begins with file, line and column, so that editors can jump there. */
export class FilesError extends UsageError {}

/** The server's answer does not contain what the command looks for. */
export class NotFoundError extends Error {}

/** A record was made, but it is not as requested. */
export class MadeOtherwiseError extends Error {}

/** Somebody pressed Ctrl-C. Nothing more needs to be printed. */
export class InterruptedError extends Error {}

/** Works until it is done, or until Ctrl-C aborts the signal. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new InterruptedError())
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await work(interruption.signal)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

/** The server is not what the command needs. Its exit code is that of the check that failed. */
export class UnfitServerError extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message)
  }
}
