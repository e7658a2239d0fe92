/**
 * The form of a journal's lines. Whoever changes what a line means takes the next number, and adds the step from the
 * one before to `engine/journal-format.ts`.
 */
export const JOURNAL_VERSION = 1
