/** Words as a POSIX shell takes them: a single quote is all that is special between single quotes. */
export const shellWords = (words: readonly string[]): string =>
  words.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
