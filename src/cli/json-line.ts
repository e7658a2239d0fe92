/** JSON as one line for whoever reads line by line: some readers, Node's since 22 among them, end one at U+2028 too. */
export const jsonLine = (json: string): string =>
  `${json.replace(/[\u2028\u2029]/g, character => (character === '\u2028' ? '\\u2028' : '\\u2029'))}\n`
