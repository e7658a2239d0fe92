import { DECISIONS, isDecisionKey } from '../../contract/decisions.ts'
import type { Screen } from '../output/screen.ts'
import { visible, wrapTo } from '../output/text.ts'
import type { View } from '../output/view.ts'
import type { ProbeReport } from './probe.ts'

/** What was found, what was not, and what else somebody must know. */
export const probeView: View<ProbeReport> = {
  human: ({ answers, unknown, violations, made, requests }, screen) => {
    const left = made.filter(({ cancelled }) => !cancelled)
    // `paysim contract` lists the constants, which no contract file can have.
    const open = unknown.filter(({ key }) => !isDecisionKey(key) || DECISIONS[key].kind !== 'constant')
    return [
      ...section(
        'Found',
        answers.map(({ key, value }) => [key, value]),
        screen,
      ),
      ...section(
        'Unknown',
        open.map(({ key, why }) => [key, why]),
        screen,
      ),
      ...section(
        'Contradicts the interface document',
        violations.map(({ what, evidence }) => [what, evidence.map(({ request }) => request).join(', ')]),
        screen,
      ),
      ...section(
        'Made, and not cancelled',
        left.map(({ id, why }) => [id, why ?? '']),
        screen,
      ),
      `${count(requests, 'request')}, ${count(answers.length, 'answer')}, ${count(made.length, 'payment')} made, ${count(violations.length, 'contradiction')}.`,
    ].join('\n')
  },
  rows: ({ answers, unknown }) => [
    ...answers.map(({ key, value }) => ({ key, value, why: null })),
    ...unknown.map(({ key, why }) => ({ key, value: null, why })),
  ],
  csv: ['key', 'value', 'why'],
}

const LEAST = 24
const GAP = 2

export function section(title: string, rows: readonly (readonly string[])[], screen: Screen): string[] {
  if (rows.length === 0) return []
  const labels = Math.min(
    rows.reduce((most, [label = '']) => Math.max(most, screen.widthOf(visible(label))), 0),
    Math.max(LEAST, Math.floor(screen.width / 2)),
  )
  const room = Math.max(LEAST, screen.width - labels - GAP * 2)
  return [
    screen.paint.bold(title),
    ...rows.flatMap(([label = '', text = '']) => {
      const [first = '', ...more] = wrapTo(visible(text), room, screen.widthOf)
      const name = visible(label)
      const gap = ' '.repeat(Math.max(GAP, labels - screen.widthOf(name) + GAP))
      return [
        `${' '.repeat(GAP)}${name}${gap}${first}`.trimEnd(),
        ...more.map(line => `${' '.repeat(GAP + labels + GAP)}${line}`),
      ]
    }),
    '',
  ]
}

export const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`
