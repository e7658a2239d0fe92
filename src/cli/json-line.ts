/** JSON as one line. Some readers, such as Node since version 22, also end a line at U+2028. */
export const jsonLine = (json: string): string =>
  LINE_END.test(json)
    ? `${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
    : `${json}\n`

const LINE_END = /[\u2028\u2029]/
