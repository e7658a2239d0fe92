/** Quotes for a POSIX shell: between single quotes, only the quote itself is special. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Words for a POSIX shell, quoted if necessary. */
export const shellWords = (words: readonly string[]): string =>
  words.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word))).join(' ')
