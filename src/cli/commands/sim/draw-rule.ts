import type { Screen } from '../../output/screen.ts'
import { visible, wrapTo } from '../../output/text.ts'
import { inlineYaml } from './inline-yaml.ts'

interface NamedRule {
  readonly name?: string
  readonly [member: string]: unknown
}

/** A provider rule or a fault as its author wrote it, one key a line, and how often it was used. */
export function drawRule(rule: object, at: number, used = 0, screen: Screen): string {
  const { name, ...keys } = rule as NamedRule
  const { paint } = screen
  const count =
    used === 0 ? paint.dim('not used yet') : paint.green(`used ${used === 1 ? 'once' : `${used} times`}`)
  const number = String(at + 1).padStart(2)
  const title = name === undefined ? paint.dim('no name') : paint.bold(visible(name))
  return [
    `${number}  ${title}  ${count}`,
    ...Object.entries(keys).flatMap(([key, value]) => member(key, value, screen)),
  ].join('\n')
}

function member(key: string, value: unknown, screen: Screen): string[] {
  const { paint } = screen
  const label = paint.cyan(visible(key))
  const whole = lines(value, `    ${visible(key)}: `, screen)
  if (whole.length > 1 && Array.isArray(value))
    return [
      `    ${label}:`,
      ...value.flatMap(one => lines(one, '      - ', screen).map(indentAfter('      - '))),
    ]
  return whole.map((line, at) =>
    at === 0 ? `    ${label}: ${line}` : `${' '.repeat(key.length + 6)}${line}`,
  )
}

const indentAfter = (before: string) => (line: string, at: number) =>
  at === 0 ? `${before}${line}` : `${' '.repeat(before.length)}${line}`

/** Breaks lines between members, and inside a member only if it is too long. */
function lines(value: unknown, before: string, { width, widthOf }: Screen): string[] {
  const glued = visible(inlineYaml(value)).replace(/(?<=[:{]) | (?=\})/g, '\u00a0')
  return wrapTo(glued, Math.max(20, width - widthOf(before)), widthOf).map(line =>
    line.replaceAll('\u00a0', ' '),
  )
}
