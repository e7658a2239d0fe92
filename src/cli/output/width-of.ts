import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { charactersOf } from './text.ts'

const PLAIN = /^[\x20-\x7e]*$/
/** Sara am of Thai and Lao belongs to the syllable before it, but takes its own column on a terminal. */
const SARA_AM = /(?<=\P{Cc})[\u0e33\u0eb3]/gu

/** Characters measured before: measuring one takes as long as looking up a hundred. */
const known = new Map<string, number>()
const MOST_KNOWN = 5000

/** The columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  const shown = text.includes('\u001b') ? stripVTControlCharacters(text) : text
  let width = 0
  for (const { segment } of charactersOf(shown)) width += known.get(segment) ?? measure(segment)
  return width
}

function measure(character: string): number {
  const width = stringWidth(character) + (character.match(SARA_AM)?.length ?? 0)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(character, width)
  return width
}
