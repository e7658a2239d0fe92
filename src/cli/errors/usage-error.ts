/** Something the caller has to put right. */
export class UsageError extends Error {}

/** What is wrong with files: each line begins with file, line and column, as editors jump to them. */
export class FilesError extends UsageError {}
