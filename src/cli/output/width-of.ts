import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { signsOf } from './cut.ts'

const PLAIN = /^[\x20-\x7e]*$/
/** Sara am of Thai and of Lao: part of the syllable before it, and yet a column of its own on a terminal. */
const SARA_AM = /(?<=\P{Cc})[\u0e33\u0eb3]/gu

/** Signs measured before: a writing has few of them, and measuring one takes as long as looking up a hundred. */
const known = new Map<string, number>()
const MOST_KNOWN = 5000

/** Columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  const shown = text.includes('\u001b') ? stripVTControlCharacters(text) : text
  let width = 0
  for (const { segment } of signsOf(shown)) width += known.get(segment) ?? measured(segment)
  return width
}

function measured(sign: string): number {
  const width = stringWidth(sign) + (sign.match(SARA_AM)?.length ?? 0)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(sign, width)
  return width
}
