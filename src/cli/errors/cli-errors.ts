/** Something the caller has to put right. */
export class UsageError extends Error {}

/** What is wrong with files: each line begins with file, line and column, as editors jump to them. */
export class FilesError extends UsageError {}

/** What was asked for is not in what the server answered with. */
export class NotFoundError extends Error {}

/** Somebody pressed Ctrl-C. What is to be said of it has been said. */
export class InterruptedError extends Error {}
