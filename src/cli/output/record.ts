import type { Screen } from './screen.ts'
import { visible } from './visible.ts'
import { wrapTo } from './wrap.ts'

export interface Field {
  readonly label: string
  /** As it comes: what a terminal would act on is taken out of it here. Without one, the field is left out. */
  readonly value: string | null | undefined
  /** Set beside it in a fainter tone: the same time told in another way. */
  readonly note?: string | undefined
  readonly paint?: (shown: string) => string
  /** To be copied in one piece, as an address: never broken into lines, which a terminal does better. */
  readonly whole?: boolean
}

/** Narrower than this beside the labels, values go below them. */
const LEAST_BESIDE = 24
const INDENT = '  '

/** Lines of label and value, the values under each other. */
export function drawRecord(fields: readonly Field[], screen: Screen): string {
  const filled = fields.flatMap(field => (field.value == null ? [] : [{ ...field, value: field.value }]))
  const labelWidth = filled.reduce((most, { label }) => Math.max(most, screen.widthOf(visible(label))), 0)
  const beside = screen.width - INDENT.length - labelWidth - 2
  return filled
    .map(({ label, ...field }) => {
      const shownLabel = visible(label)
      if (beside < LEAST_BESIDE)
        return [
          `${INDENT}${screen.paint.dim(shownLabel)}`,
          ...indented(linesOf(field, screen.width - 4, screen), 4),
        ].join('\n')
      const [first = '', ...rest] = linesOf(field, beside, screen)
      const blanks = ' '.repeat(labelWidth - screen.widthOf(shownLabel) + 2)
      return [
        `${INDENT}${screen.paint.dim(shownLabel)}${blanks}${first}`.trimEnd(),
        ...indented(rest, INDENT.length + labelWidth + 2),
      ].join('\n')
    })
    .join('\n')
}

const indented = (lines: readonly string[], by: number) => lines.map(line => `${' '.repeat(by)}${line}`)

function linesOf(
  { value, note, paint, whole }: Omit<Field, 'label'> & { value: string },
  width: number,
  screen: Screen,
): string[] {
  const shown = visible(value)
  const lines = whole ? [shown] : wrapTo(shown, Math.max(1, width), screen.widthOf)
  const painted = paint ? lines.map(line => paint(line)) : lines
  if (note === undefined) return painted
  const faint = wrapTo(visible(note), Math.max(1, width), screen.widthOf).map(line => screen.paint.dim(line))
  const joined = `${painted.at(-1) ?? ''}  ${faint[0] ?? ''}`
  return faint.length === 1 && screen.widthOf(joined) <= width
    ? [...painted.slice(0, -1), joined]
    : [...painted, ...faint]
}
