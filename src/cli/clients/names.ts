export type Style = 'snake' | 'camel' | 'Pascal'

/**
 * A name in another language, made of letters and digits whatever the text is: `createPayment`, `present-action` and
 * `Idempotency-Key` all have words. One that is taken, such as a word of the language, gets another ending.
 */
export function nameOf(text: string, style: Style, taken: ReadonlySet<string> = new Set()): string {
  const found = text.replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1 ').match(/[A-Za-z0-9]+/g) ?? ['x']
  const words = found.map(word => word.toLowerCase())
  const joined = {
    snake: () => words.join('_'),
    camel: () => words.map((word, index) => (index === 0 ? word : capital(word))).join(''),
    Pascal: () => words.map(word => (ABBREVIATIONS.has(word) ? word.toUpperCase() : capital(word))).join(''),
  }[style]()
  const name = /^[0-9]/.test(joined) ? `${style === 'Pascal' ? 'X' : 'x'}${joined}` : joined
  if (!taken.has(name)) return name
  let count = 2
  const ending = style === 'snake' ? '_' : ''
  if (ending && !taken.has(name + ending)) return name + ending
  while (taken.has(`${name}${count}`)) count += 1
  return `${name}${count}`
}

const ABBREVIATIONS = new Set(['api', 'id', 'qr', 'url'])
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
