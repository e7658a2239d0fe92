import type { FaultRule, FaultsState, RulesState } from '../../../../client/control-client.ts'
import type { Screen } from '../../../output/screen.ts'
import { visible, wrapTo } from '../../../output/text.ts'
import type { View } from '../../../output/view.ts'
import { short } from './inline-members.ts'

export const rulesView: View<RulesState> = {
  human({ standard, rules, used }, screen) {
    const { paint } = screen
    if (rules.length === 0)
      return paint.dim('No rules: every payment waits for its payer, every payout for approval.')
    const title = standard
      ? 'The rules that ship, first match wins'
      : "This account's own rules, first match wins"
    return `${paint.dim(title)}\n\n${rules.map((rule, at) => entry(rule, at, used[at], screen)).join('\n\n')}`
  },
  rows: ({ rules, used }) => rules.map((rule, at) => ({ ...rule, used: used[at] ?? 0 })),
}

export const faultsView: View<FaultsState> = {
  human({ faults, used, windows }, screen) {
    if (faults.length === 0) return screen.paint.dim('No faults: nothing goes wrong.')
    return faults
      .map((fault, at) => entry({ ...fault, ...windowOf(fault, windows[at]) }, at, used[at], screen))
      .join('\n\n')
  },
  rows: ({ faults, used }) => faults.map((fault, at) => ({ ...fault, used: used[at] ?? 0 })),
}

/** `for: 1h` alone does not say since when. */
function windowOf(
  fault: FaultRule,
  window: FaultsState['windows'][number] | undefined,
): { happens?: string } {
  if (fault.for === undefined || !window) return {}
  const { from, until } = window
  return { happens: [from && `from ${from}`, until && `until ${until}`].filter(Boolean).join(' ') }
}

interface Named {
  readonly name?: string
  readonly [member: string]: unknown
}

/** One rule as its author wrote it, a key a line, and how often it was the one. */
function entry(rule: object, at: number, used = 0, screen: Screen): string {
  const { name, ...keys } = rule as Named
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

/** Broken between members, and not within one where that can be helped. */
function lines(value: unknown, before: string, { width, widthOf }: Screen): string[] {
  const glued = visible(short(value)).replace(/(?<=[:{]) | (?=\})/g, '\u00a0')
  return wrapTo(glued, Math.max(20, width - widthOf(before)), widthOf).map(line =>
    line.replaceAll('\u00a0', ' '),
  )
}
