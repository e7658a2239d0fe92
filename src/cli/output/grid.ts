import { GAP } from './column-widths.ts'
import { cutTo } from './cut.ts'
import type { Screen } from './screen.ts'
import { visible } from './visible.ts'

export interface GridEntry {
  readonly name: string
  readonly text: string
}

/** Names with what they mean, in as many columns as the screen has room for, read downwards. */
export function drawGrid(entries: readonly GridEntry[], screen: Screen, indent = 2): string {
  const { widthOf, paint } = screen
  const shown = entries.map(({ name, text }) => ({ name: visible(name), text: visible(text) }))
  const nameWidth = widest(
    shown.map(({ name }) => name),
    widthOf,
  )
  const room = screen.width - indent
  const entryWidth = Math.min(
    room,
    nameWidth +
      GAP +
      widest(
        shown.map(({ text }) => text),
        widthOf,
      ),
  )
  const columns = Math.max(1, Math.floor((room + GAP) / (entryWidth + GAP)))
  const height = Math.ceil(shown.length / columns)
  const cell = ({ name, text }: GridEntry) => {
    const blanks = ' '.repeat(nameWidth + GAP - widthOf(name))
    const whole = cutTo(`${name}${blanks}${text}`, entryWidth, widthOf)
    const padding = ' '.repeat(entryWidth - widthOf(whole))
    return whole.startsWith(name) ? paint.bold(name) + whole.slice(name.length) + padding : whole + padding
  }
  return Array.from({ length: height }, (_, line) =>
    shown
      .filter((_, index) => index % height === line)
      .map(cell)
      .join(' '.repeat(GAP)),
  )
    .map(line => `${' '.repeat(indent)}${line}`.trimEnd())
    .join('\n')
}

const widest = (texts: readonly string[], widthOf: Screen['widthOf']) =>
  texts.reduce((most, text) => Math.max(most, widthOf(text)), 0)
