/** Pseudorandom digits and letters: the same seed and purpose always give the same ones. */
export interface DigitSource {
  /** An integer from 0 to limit - 1. */
  below(limit: number): number
  digits(count: number): string
  /** Letters and digits that are not easily confused when read aloud or typed. */
  code(length: number): string
}

// Without 0 O, 1 I L, and without vowels, so that no code spells a word (or the name of a provider).
const CLEAR_LETTERS = '23456789CDFGHJKMNPQRTVWXY'

/** The purpose separates uses: a longer reference does not change the account number. */
export function digitSource(seed: string, purpose: string): DigitSource {
  const next = generator(hash(`${purpose}:${seed}`))
  const below = (limit: number) => Math.floor((next() / 0x1_0000_0000) * limit)
  const letters = (count: number, alphabet: string) => {
    let text = ''
    for (let i = 0; i < count; i++) text += alphabet[below(alphabet.length)]
    return text
  }
  return {
    below,
    digits: count => letters(count, '0123456789'),
    code: length => letters(length, CLEAR_LETTERS),
  }
}

type State = [number, number, number, number]

/**
 * FNV-1a in four lanes, each with its own multiplier: 128 bits, because 24 base62 letters have more than 64.
 */
function hash(text: string): State {
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  let c = 0x85ebca6b
  let d = 0xc2b2ae35
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x27d4eb2f)
    c = Math.imul(c ^ unit, 0x165667b1)
    d = Math.imul(d ^ unit, 0x2c1b3c6d)
  }
  return [a, b, c, d]
}

/** Small Fast Counter (sfc32): 32 bits per step from 128 bits of state. */
function generator([a, b, c, counter]: State): () => number {
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // Seeds that differ in one bit give similar numbers at first, so the first steps are not used.
  for (let i = 0; i < 12; i++) next()
  return next
}

/** The digit that makes a card-like number pass the Luhn test. */
export function luhnDigit(digits: string): string {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return String((10 - (sum % 10)) % 10)
}

/** The thirteenth digit of a Thai citizen or tax identifier: weights 13 down to 2, modulo 11. */
export function thaiTaxDigit(twelveDigits: string): string {
  let sum = 0
  for (let i = 0; i < 12; i++) sum += Number(twelveDigits[i]) * (13 - i)
  return String((11 - (sum % 11)) % 10)
}

/**
 * The payment reference that the payer enters: twelve letters, so a million intents have a collision with a
 * probability of 1 in 100,000.
 */
export function referenceOf(paymentId: string): string {
  return digitSource(paymentId, 'reference').code(12)
}

/** In groups of four, as people read and type it. */
export function groupedReference(reference: string): string {
  return `${reference.slice(0, 4)}-${reference.slice(4, 8)}-${reference.slice(8)}`
}

const WITHOUT_DECOMPOSITION: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', ı: 'i', ß: 'ss' }),
  ...Object.entries({ æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', þ: 'th', Þ: 'Th' }),
  ...Object.entries({ '‘': "'", '’': "'", '“': '"', '”': '"', '–': '-', '—': '-' }),
])

/**
 * The text as QR schemes write names: ASCII only, without accents ("Phở Hà Nội" is "Pho Ha Noi") and without scripts
 * that have no Latin form. If nothing readable is left, it is the fallback.
 */
export function asciiName(text: string, maxLength: number, fallback: string): string {
  const ascii = text
    .normalize('NFKD')
    .replace(/\s+/gu, ' ')
    .replace(/[^ -~]/gu, character => WITHOUT_DECOMPOSITION.get(character) ?? '')
    .replace(/ {2,}/g, ' ')
    .trim()
  return /[A-Za-z0-9]/.test(ascii) ? ascii.slice(0, maxLength).trimEnd() : fallback
}
