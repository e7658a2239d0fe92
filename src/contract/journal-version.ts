/**
 * The form of a journal's lines. If you change what a line means, raise this number, and add the step from the
 * one before to `engine/journal/journal-format.ts`.
 */
export const JOURNAL_VERSION = 1
