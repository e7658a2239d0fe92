import { wrapTo } from '../output/text.ts'
import { widthOf } from '../output/width-of.ts'

/** Breaks the lines of a report between words, as wide as the terminal. A command to copy stays in one piece. */
export function fitToTerminal(report: string, columns: number | undefined): string {
  if (columns === undefined) return report
  const lines = report.split('\n').flatMap(line => {
    const indent = /^ */.exec(line)?.[0] ?? ''
    if (widthOf(line) <= columns || line.includes(': paysim run ')) return [line]
    const room = Math.max(20, columns - indent.length - 2)
    const [first, ...rest] = wrapTo(line.slice(indent.length), room, widthOf)
    return [`${indent}${first}`, ...rest.map(more => `${indent}  ${more}`)]
  })
  return lines.join('\n')
}
