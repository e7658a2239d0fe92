import { didYouMean } from './choice.ts'

/** For a flag that takes words with commas between them, and may be given again. */
export const words = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== ''),
]

/** A server may know more words than this project does: those it does not know are passed on, and not in silence. */
export function warnOfUnknown(flag: string, given: readonly string[], known: readonly string[]): void {
  for (const word of given)
    if (!known.includes(word))
      process.stderr.write(
        `paysim: ${flag} ${word} is none that paysim knows, and is passed on as it is. ${didYouMean(word, known)}It knows ${known.join(', ')}.\n`,
      )
}
