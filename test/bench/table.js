import { misses } from './rounds.js'

export const shown = number => number.toLocaleString('en')

export const COLUMNS = ['', 'paysim', 'the other', 'ratio', 'rounds', 'CPU', 'by CPU', 'target', '']

/** The figures as a table. */
export function table(rows) {
  const cells = [COLUMNS, ...rows.map(cellsOf)]
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map(line => line[column].length)))
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))
  return cells.map(line => line.map(pad).join('  ').trimEnd()).join('\n')
}

export function cellsOf(row) {
  const { name, unit, ours, other, ratio, lowest, highest, atLeast, atMost, busyRatio, busy } = row
  const quantity = value => `${shown(Number(value.toFixed(value < 100 ? 1 : 0)))} ${unit}`
  if (ratio === undefined) return [name, quantity(ours), '', '', '', '', '', '', '']
  return [
    name,
    quantity(ours),
    quantity(other),
    ratio.toFixed(2),
    lowest === undefined ? '' : `${lowest.toFixed(2)}–${highest.toFixed(2)}`,
    busy && busyRatio > 0 ? processorTime(busy, unit) : '',
    busyRatio > 0 ? busyRatio.toFixed(2) : '',
    target({ atLeast, atMost }),
    verdict(row),
  ]
}

/** The processor time of a request, or of a start. */
function processorTime({ ours, other }, unit) {
  const text =
    unit === 'req/s' ? value => `${(value * 1000).toFixed(0)} µs` : value => `${value.toFixed(0)} ms`
  return `${text(ours)} : ${text(other)}`
}

function target({ atLeast, atMost }) {
  if (atLeast !== undefined) return `≥ ${atLeast.toFixed(2)}`
  return atMost === undefined ? '' : `≤ ${atMost.toFixed(2)}`
}

function verdict(row) {
  const { ratio, atLeast, atMost } = row
  if (atLeast === undefined && atMost === undefined) return ''
  if (ratio >= (atLeast ?? ratio) && ratio <= (atMost ?? ratio)) return 'met'
  return misses(row) ? 'missed' : 'near'
}
