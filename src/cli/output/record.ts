import { memberAt } from '../../contract/json.ts'
import { flatten, plain } from './members.ts'
import type { Screen } from './screen.ts'
import { paintStatus, shownLabel, shownValue, visible, wrapTo } from './text.ts'
import { showTime } from './time.ts'

export interface Field {
  readonly label: string
  /** The raw text: control characters are escaped when it is drawn. A field without a value is left out. */
  readonly value: string | null | undefined
  /** Shown dimmed beside the value, such as how long ago a time was. */
  readonly note?: string | undefined
  readonly paint?: (shown: string) => string
  /** Never broken into lines, so that it can be copied, such as a URL. */
  readonly whole?: boolean
}

/** If less width than this is left beside the labels, values go below them. */
const LEAST_BESIDE = 24
const INDENT = '  '

/** One line or more for each field, with the values aligned. */
export function drawRecord(fields: readonly Field[], screen: Screen): string {
  const filled = fields.flatMap(field => (field.value == null ? [] : [{ ...field, value: field.value }]))
  const labelWidth = filled.reduce((most, { label }) => Math.max(most, screen.widthOf(shownLabel(label))), 0)
  const beside = screen.width - INDENT.length - labelWidth - 2
  return filled
    .map(({ label, ...field }) => {
      const name = shownLabel(label)
      if (beside < LEAST_BESIDE)
        return [
          `${INDENT}${screen.paint.dim(name)}`,
          ...indented(linesOf(field, screen.width - 4, screen), 4),
        ].join('\n')
      const [first = '', ...rest] = linesOf(field, beside, screen)
      const blanks = ' '.repeat(labelWidth - screen.widthOf(name) + 2)
      return [
        `${INDENT}${screen.paint.dim(name)}${blanks}${first}`.trimEnd(),
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
  const shown = whole ? visible(value) : shownValue(value)
  const lines = whole ? [shown] : wrapTo(shown, Math.max(1, width), screen.widthOf)
  const painted = paint ? lines.map(line => paint(line)) : lines
  if (note === undefined) return painted
  const faint = wrapTo(shownValue(note), Math.max(1, width), screen.widthOf).map(line =>
    screen.paint.dim(line),
  )
  const joined = `${painted.at(-1) ?? ''}  ${faint[0] ?? ''}`
  return faint.length === 1 && screen.widthOf(joined) <= width
    ? [...painted.slice(0, -1), joined]
    : [...painted, ...faint]
}

/** A field of any value. Without a value, it is left out. */
export function fieldOf(label: string, value: unknown, how: Omit<Field, 'label' | 'value'> = {}): Field {
  return { label, value: value === null || value === undefined ? undefined : plain(value), ...how }
}

export function timeField(label: string, value: unknown, screen: Screen): Field {
  return value === null || value === undefined ? fieldOf(label, value) : { label, ...showTime(value, screen) }
}

/** `payment_cancelled: the merchant cancelled it`, or whichever of code and message is there. */
export function failureField(label: string, record: unknown, { paint }: Screen): Field {
  const parts = [memberAt(record, 'failure_code'), memberAt(record, 'failure_message')].map(plain)
  return { label, value: parts.filter(Boolean).join(': ') || undefined, paint: paint.red }
}

/** The members that paysim does not know, since a real gateway may send more. */
export function restFields(record: unknown, known: readonly string[], under = ''): Field[] {
  if (typeof record !== 'object' || record === null) return []
  const rest = Object.fromEntries(Object.entries(record).filter(([name]) => !known.includes(name)))
  if (Object.keys(rest).length === 0) return []
  return [...flatten(rest)].map(([path, value]) => ({
    label: `${under}${path}`,
    value: value === null ? 'null' : plain(value),
  }))
}

/** The unknown members, in a section of their own. */
export function drawRest(record: unknown, known: readonly string[], screen: Screen): string {
  const rest = restFields(record, known)
  return rest.length === 0 ? '' : `${screen.paint.bold('other members')}\n${drawRecord(rest, screen)}`
}

/** The first line of a record: its id and status. */
export function titleOf(record: unknown, { paint }: Screen): string {
  const status = memberAt(record, 'status')
  const id = paint.bold(visible(plain(memberAt(record, 'id'))))
  return `${id}  ${paintStatus(status, paint, visible(plain(status)))}`.trim()
}

/** Joins parts with a blank line between them, leaving out empty ones. */
export const sections = (...parts: readonly string[]): string =>
  parts.filter(part => part !== '').join('\n\n')
