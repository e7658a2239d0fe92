import type { Mismatch } from '../expect/match.ts'
import { ABSENT } from '../expect/value.ts'

const LONGEST = 600

/** Formats a value for people. */
function shown(value: unknown): string {
  if (value === ABSENT) return '(missing)'
  if (value === undefined) return '(not JSON)'
  if (typeof value === 'string') return clip(value)
  return clip(JSON.stringify(value, null, 2))
}

export const clip = (text: string, most = LONGEST) => (text.length > most ? `${text.slice(0, most)}…` : text)

export interface DiffLine {
  readonly sign: '-' | '+' | ' '
  readonly text: string
}

/** The line-by-line difference between expected and actual. */
export function diff({ expected, actual }: Mismatch): DiffLine[] {
  const a = shown(expected).split('\n')
  const b = shown(actual).split('\n')
  const table = longestCommon(a, b)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    if (left !== undefined && left === right) {
      lines.push({ sign: ' ', text: left })
      i++
      j++
    } else if (left !== undefined && (right === undefined || at(table, i + 1, j) >= at(table, i, j + 1))) {
      lines.push({ sign: '-', text: left })
      i++
    } else {
      lines.push({ sign: '+', text: right ?? '' })
      j++
    }
  }
  return lines
}

const at = (table: readonly (readonly number[])[], i: number, j: number) => table[i]?.[j] ?? 0

function longestCommon(a: readonly string[], b: readonly string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = table[i]
      if (row)
        row[j] =
          a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1))
    }
  return table
}
