/** All that a bank may be called. */
interface Named {
  readonly names: readonly string[]
}

interface Found<B> {
  /** The best first. */
  readonly banks: readonly B[]
  /** The one that was meant beyond doubt: it is called exactly so, or no other has this in its names. */
  readonly only: B | undefined
}

/** Every word that was typed is somewhere in a bank's names, in whatever script; a code or a short name comes first. */
export function findBanks<B extends Named>(typed: string, banks: readonly B[]): Found<B> {
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

/** Without case, accents and Thai tone marks, and with a space for whatever is no letter, vowel sign or digit. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0e47-\u0e4e]/g, '')
    .toLowerCase()
    .replaceAll('đ', 'd')
    // An abbreviation is typed with its dots or without.
    .replace(/[.'’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
