import { expect, it } from 'vitest'
import { drawRecord } from '../../../src/cli/output/record.ts'
import { openScreen } from '../../../src/cli/output/screen.ts'
import { drawTable } from '../../../src/cli/output/table.ts'
import { wrapTo } from '../../../src/cli/output/text.ts'
import { MemoryStream } from '../../support/cli/memory-stream.ts'

const screen = { ...(await openScreen(new MemoryStream({ columns: 80 }).out, {})), measured: 0 }
/** Counts the characters that are measured: they are the work of a drawing. */
const counting = {
  ...screen,
  widthOf(text: string) {
    screen.measured += text.length
    return screen.widthOf(text)
  },
}

const work = (draw: () => unknown) => {
  screen.measured = 0
  draw()
  return screen.measured
}

it('a value without an end is cut before it is broken into lines, and the rest is counted', () => {
  const of = (length: number) => () =>
    drawRecord([{ label: '商'.repeat(length), value: '店'.repeat(length) }], counting)
  expect(of(200_000)()).toContain('… (190,000 more characters: -o json shows them)'.slice(0, 20))
  expect(work(of(2_000_000))).toBeLessThan(1.1 * work(of(20_000)))
})

it('a cell of a table is cut before it is measured', () => {
  const columns = [{ header: 'x', value: (row: string) => row, give: 1 }]
  const of = (length: number) => () => drawTable(['店'.repeat(length)], { columns, empty: '' }, counting)
  expect(work(of(2_000_000))).toBeLessThan(1.1 * work(of(20_000)))
})

it('a long word is broken so that nothing is lost and no line is too wide', () => {
  const text = '店é👩‍👩‍👧'.repeat(3000)
  const lines = wrapTo(text, 7, screen.widthOf)
  expect(lines.join('')).toBe(text)
  expect(Math.max(...lines.map(screen.widthOf))).toBeLessThanOrEqual(7)
})
