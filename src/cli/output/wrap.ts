import { beginning, signsOf, type WidthOf } from './cut.ts'

/** Lines no wider than told. A word that fits on none is broken: Thai between its words, which have no blanks. */
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

/** What stays together, blanks after it included. */
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
  let rest = text
  while (rest !== '') {
    const slice = beginning(rest, width, widthOf) || firstSign(rest)
    yield slice
    rest = rest.slice(slice.length)
  }
}

function firstSign(text: string): string {
  for (const { segment } of signsOf(text)) return segment
  return text
}
