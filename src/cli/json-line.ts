/** JSON as one line. Some readers, such as Node since version 22, also end a line at U+2028. */
export const jsonLine = (json: string): string =>
  `${json.replace(/[\u2028\u2029]/g, character => (character === '\u2028' ? '\\u2028' : '\\u2029'))}\n`
