import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

const PLAIN = /^[\x20-\x7e]*$/
/** Sara am of Thai and of Lao: part of the syllable before it, and yet a column of its own on a terminal. */
const SARA_AM = /(?<=\P{Cc})[\u0e33\u0eb3]/gu

/** Columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  const shown = text.includes('\u001b') ? stripVTControlCharacters(text) : text
  return stringWidth(shown) + (shown.match(SARA_AM)?.length ?? 0)
}
