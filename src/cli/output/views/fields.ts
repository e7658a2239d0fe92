import { flatten } from '../flatten.ts'
import { memberAt, plain } from '../plain.ts'
import { drawRecord, type Field } from '../record.ts'
import type { Screen } from '../screen.ts'
import { paintStatus } from '../status.ts'
import { showTime } from '../time.ts'
import { visible } from '../visible.ts'

/** The value under a label; without one, the field is left out. */
export function fieldOf(label: string, value: unknown, how: Omit<Field, 'label' | 'value'> = {}): Field {
  return { label, value: value === null || value === undefined ? undefined : plain(value), ...how }
}

export function timeField(label: string, value: unknown, screen: Screen): Field {
  return value === null || value === undefined ? fieldOf(label, value) : { label, ...showTime(value, screen) }
}

/** `payment_cancelled: the merchant cancelled it`, or the one of them that is there. */
export function failureField(label: string, record: unknown, { paint }: Screen): Field {
  const parts = [memberAt(record, 'failure_code'), memberAt(record, 'failure_message')].map(plain)
  return { label, value: parts.filter(Boolean).join(': ') || undefined, paint: paint.red }
}

/** Members that nobody here knows, as they are: a real base URL may say more than this project does. */
export function restFields(record: unknown, known: readonly string[], under = ''): Field[] {
  if (typeof record !== 'object' || record === null) return []
  const rest = Object.fromEntries(Object.entries(record).filter(([name]) => !known.includes(name)))
  if (Object.keys(rest).length === 0) return []
  return [...flatten(rest)].map(([path, value]) => ({
    label: `${under}${path}`,
    value: value === null ? 'null' : plain(value),
  }))
}

/** The same, below all else that a record says. */
export function drawRest(record: unknown, known: readonly string[], screen: Screen): string {
  const rest = restFields(record, known)
  return rest.length === 0 ? '' : `${screen.paint.bold('other members')}\n${drawRecord(rest, screen)}`
}

/** The first line of a record: which one it is, and how it is. */
export function titleOf(record: unknown, { paint }: Screen): string {
  const status = memberAt(record, 'status')
  const id = paint.bold(visible(plain(memberAt(record, 'id'))))
  return `${id}  ${paintStatus(status, paint, visible(plain(status)))}`.trim()
}

/** Parts below each other, with a blank line between them. */
export const sections = (...parts: readonly string[]): string =>
  parts.filter(part => part !== '').join('\n\n')
