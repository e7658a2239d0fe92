/** For a POSIX shell: between single quotes nothing is special but the quote itself. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Words as a POSIX shell takes them, quoted where they must be. */
export const shellWords = (words: readonly string[]): string =>
  words.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word))).join(' ')
