/** All names of a bank. */
interface Named {
  readonly names: readonly string[]
}

interface BankMatches<B> {
  /** The best match first. */
  readonly banks: readonly B[]
  /** The only possible match: its name is exactly the typed text, or no other bank matches. */
  readonly only: B | undefined
}

/** Every typed word must be in a bank's names, in any script. Codes and short names come first. */
export function findBanks<B extends Named>(typed: string, banks: readonly B[]): BankMatches<B> {
  const words = plain(typed).split(' ').filter(Boolean)
  if (words.length === 0) return { banks, only: undefined }
  const whole = words.join('')
  const exact: B[] = []
  const begins: B[] = []
  const holds: B[] = []
  for (const bank of banks) {
    const names = bank.names.map(plain)
    const unparted = names.map(name => name.replaceAll(' ', ''))
    if (unparted.includes(whole)) exact.push(bank)
    else if (unparted.some(name => name.startsWith(whole))) begins.push(bank)
    else if (
      unparted.some(name => name.includes(whole)) ||
      words.every(word => names.some(name => name.includes(word)))
    )
      holds.push(bank)
  }
  const found = [...exact, ...begins, ...holds]
  const best = exact.length > 0 ? exact : found
  return { banks: found, only: best.length === 1 ? best[0] : undefined }
}

/** Without case, accents and Thai tone marks, and with a space for every other character. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0e47-\u0e4e]/g, '')
    .toLowerCase()
    .replaceAll('đ', 'd')
    // An abbreviation may be typed with or without dots.
    .replace(/[.'’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
