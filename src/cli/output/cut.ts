export type WidthOf = (text: string) => number

const PLAIN = /^[\x20-\x7e]*$/
let segmenter: Intl.Segmenter | undefined

/** Signs as a reader counts them: cutting between a letter and its marks would leave neither. */
export function signsOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** As much of a text as fits, with … for the rest. */
export function cutTo(text: string, width: number, widthOf: WidthOf): string {
  if (widthOf(text) <= width) return text
  return width < 1 ? '' : `${beginning(text, width - 1, widthOf)}…`
}

/** The longest beginning that is no wider. */
export function beginning(text: string, width: number, widthOf: WidthOf): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, width))
  let end = 0
  let taken = 0
  for (const { segment, index } of signsOf(text)) {
    taken += widthOf(segment)
    if (taken > width) break
    end = index + segment.length
  }
  return text.slice(0, end)
}
