import { didYouMean } from './choice.ts'
import { UsageFault } from './faults/usage-fault.ts'

/** For a flag that takes words with commas between them, and may be given again. */
export const words = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== ''),
]

/**
 * A server may know more words than this project does: those it does not know are passed on, and not in silence. One
 * that is nearly a word it knows is a slip, and would be waited or looked for in vain.
 */
export function warnOfUnknown(flag: string, given: readonly string[], known: readonly string[]): void {
  for (const word of given) {
    if (known.includes(word)) continue
    const hint = didYouMean(word, known)
    const knows = `It knows ${known.join(', ')}.`
    if (hint !== '') throw new UsageFault(`${flag} ${word} is none that paysim knows. ${hint}${knows}`)
    process.stderr.write(
      `paysim: ${flag} ${word} is none that paysim knows, and is passed on as it is. ${knows}\n`,
    )
  }
}
