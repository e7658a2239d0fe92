import type { ChalkInstance } from 'chalk'

/**
 * Characters that control a terminal instead of being shown: both sets of control characters, the line breaks that only
 * Unicode has, and marks that change the direction of writing. Other people write the references that are shown here.
 */
const CONTROLS = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** The same without tabs and line breaks. */
const CONTROLS_IN_LINES = new RegExp(`(?!\\t|\\r?\\n)${CONTROLS.source}`, 'gu')

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Text for one line, with control characters as JSON escapes them. */
export const visible = (text: string): string => text.replace(CONTROLS, escaped)

/** Text of several lines, safe for a terminal. JSON stays JSON with the same meaning. */
export const visibleLines = (text: string): string => text.replace(CONTROLS_IN_LINES, escaped)

type WidthOf = (text: string) => number

const PLAIN = /^[\x20-\x7e]*$/
let segmenter: Intl.Segmenter | undefined

/** Characters as a reader counts them: a cut between a letter and its marks would break both. */
export function charactersOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** More of one value is not read on a screen. What is cut off is neither measured nor broken into lines. */
const LONGEST_VALUE = 10_000
const LONGEST_LABEL = 200

/** A value for a screen, on one line, with what was left out if it has no end. */
export function shownValue(text: string): string {
  if (text.length <= LONGEST_VALUE) return visible(text)
  const left = (text.length - LONGEST_VALUE).toLocaleString('en')
  return `${visible(text.slice(0, LONGEST_VALUE))}… (${left} more characters: -o json shows them)`
}

/** The name of a value: others choose that too. */
export const shownLabel = (text: string): string =>
  visible(text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL)}…` : text)

/** As much of a text as fits, with … in place of the rest. */
export function cutTo(text: string, width: number, widthOf: WidthOf): string {
  if (widthOf(text) <= width) return text
  return width < 1 ? '' : `${beginning(text, width - 1, widthOf)}…`
}

/** The longest beginning of a text that fits into a width. */
function beginning(text: string, width: number, widthOf: WidthOf): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, width))
  let end = 0
  let taken = 0
  for (const { segment, index } of charactersOf(text)) {
    taken += widthOf(segment)
    if (taken > width) break
    end = index + segment.length
  }
  return text.slice(0, end)
}

/** Breaks a text into lines. A word that is too long is broken too, Thai between its words, which have no blanks. */
export function wrapTo(text: string, width: number, widthOf: WidthOf): string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of piecesOf(text, width, widthOf)) {
    if (line !== '' && widthOf(line + piece.trimEnd()) > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += piece
  }
  return [...lines, line.trimEnd()]
}

/** The pieces that stay on one line, with the blanks after them. */
function* piecesOf(text: string, width: number, widthOf: WidthOf): Generator<string> {
  const fits = (piece: string) => widthOf(piece.trimEnd()) <= width
  for (const word of text.split(/(?<= )(?! )/)) {
    if (fits(word)) yield word
    else for (const part of wordsWithin(word)) yield* fits(part) ? [part] : slicesOf(part, width, widthOf)
  }
}

function wordsWithin(text: string): string[] {
  return Array.from(new Intl.Segmenter('th', { granularity: 'word' }).segment(text), ({ segment }) => segment)
}

function* slicesOf(text: string, width: number, widthOf: WidthOf): Generator<string> {
  let start = 0
  let taken = 0
  for (const { segment, index } of charactersOf(text)) {
    const wide = widthOf(segment)
    if (index > start && taken + wide > width) {
      yield text.slice(start, index)
      start = index
      taken = 0
    }
    taken += wide
  }
  if (start < text.length) yield text.slice(start)
}

type Tone = 'green' | 'red' | 'yellow' | 'cyan' | 'gray'

const TONES: ReadonlyMap<string, Tone> = new Map([
  ...toned('green', 'succeeded submitted delivered active healthy'),
  ...toned('red', 'failed rejected'),
  ...toned('yellow', 'pending required requires_approval'),
  ...toned('cyan', 'processing'),
  ...toned('gray', 'expired cancelled disabled'),
])

function toned(tone: Tone, statuses: string): [string, Tone][] {
  return statuses.split(' ').map(status => [status, tone])
}

/** A status, or what is left of it after cutting, in its colour. An unknown status is not painted. */
export function paintStatus(status: unknown, paint: ChalkInstance, shown = String(status)): string {
  const tone = typeof status === 'string' ? TONES.get(status) : undefined
  return tone === undefined ? shown : paint[tone](shown)
}

export function paintHttpStatus(status: number, paint: ChalkInstance, shown = String(status)): string {
  if (status >= 500) return paint.red.bold(shown)
  if (status >= 400) return paint.red(shown)
  return status >= 300 ? paint.yellow(shown) : paint.green(shown)
}
