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
