import { InvalidArgumentError } from 'commander'
import type { FaultRule, FaultsState, HoldRecord, RulesState } from '../../../client/control-client.ts'
import { jsonOrText } from '../../../contract/json.ts'
import { nounOf, row } from '../../control/row.ts'
import { count } from '../../flag-values.ts'
import { readList } from '../../named-file.ts'
import { idColumn, memberColumn, timeColumn } from '../../output/columns.ts'
import type { Screen } from '../../output/screen.ts'
import { visible, wrapTo } from '../../output/text.ts'
import type { View } from '../../output/view.ts'
import { inlineYaml } from './tables.ts'

/** What the provider does, and what happens on the wire. The server checks rules and faults, and names each problem. */

const RULES = {
  '<file>': {
    about: 'YAML or JSON: a list, or {rules: […]}; - means stdin',
    to: 'body.rules',
    value: (file: string) => readList(file, 'rules'),
  },
} as const

const rulesView: View<RulesState> = {
  human({ standard, rules, used }, screen) {
    const { paint } = screen
    if (rules.length === 0)
      return paint.dim('No rules: every payment waits for its payer, and every payout for approval.')
    const title = standard
      ? 'The rules that ship with paysim; the first match wins'
      : "This account's own rules; the first match wins"
    return `${paint.dim(title)}\n\n${rules.map((rule, at) => drawRule(rule, at, used[at], screen)).join('\n\n')}`
  },
  rows: ({ rules, used }) => rules.map((rule, at) => ({ ...rule, used: used[at] ?? 0 })),
}

export const rules = nounOf('sim rules', {
  list: row('GET /accounts/:account/rules', {
    summary: 'list the rules, and how often each was used',
    description: 'List the provider rules, and how often each was used.',
    examples: ['paysim sim rules', 'paysim sim rules list -o yaml --query rules > rules.yaml'],
    show: { view: rulesView },
  }),
  set: row('PUT /accounts/:account/rules', {
    summary: 'replace the rules',
    description:
      'Replace the provider rules. Those that are the same, or only switched off or on, keep their counts. An invalid rule changes nothing.',
    arguments: RULES,
    examples: [
      'paysim sim rules set rules.yaml',
      `echo '[{match: {kind: payment}, outcome: {after: 5s, status: succeeded}}]' | paysim sim rules set -`,
    ],
    show: { view: rulesView },
  }),
  add: row('POST /accounts/:account/rules', {
    summary: 'add rules in front of the others',
    description: 'Add provider rules in front of the others, which keep their counts.',
    arguments: RULES,
    examples: [
      'paysim sim rules add declines.yaml',
      `echo '[{times: 1, match: {kind: payment}, outcome: {status: failed}}]' | paysim sim rules add -`,
    ],
    show: { view: rulesView },
  }),
  reset: row('DELETE /accounts/:account/rules', {
    summary: 'restore the rules that ship with paysim',
    description: 'Restore the rules that ship with paysim.',
    examples: ['paysim sim rules reset --account shop'],
    show: { view: rulesView },
  }),
})

const faultsView: View<FaultsState> = {
  human({ faults, used, windows }, screen) {
    if (faults.length === 0) return screen.paint.dim('No faults.')
    return faults
      .map((fault, at) => drawRule({ ...fault, ...windowOf(fault, windows[at]) }, at, used[at], screen))
      .join('\n\n')
  },
  rows: ({ faults, used }) => faults.map((fault, at) => ({ ...fault, used: used[at] ?? 0 })),
}

export const faults = nounOf('sim faults', {
  list: row('GET /accounts/:account/faults', {
    summary: 'list the faults, and how often each happened',
    description: 'List the faults on the wire, and how often each happened.',
    examples: ['paysim sim faults', 'paysim sim faults list -o yaml --query faults > faults.yaml'],
    show: { view: faultsView },
  }),
  set: row('PUT /accounts/:account/faults', {
    summary: 'replace the faults',
    description:
      'Replace the faults on the wire. Those that are the same, or only switched off or on, keep their counts. An invalid fault changes nothing.',
    arguments: {
      '<file>': {
        about: 'YAML or JSON: a list, or {faults: […]}; - means stdin',
        to: 'body.faults',
        value: (file: string) => readList(file, 'faults'),
      },
    },
    examples: [
      'paysim sim faults set faults.yaml',
      `echo '[{on: POST /payment_intents, nth: 2, type: reset, when: after_commit}]' | paysim sim faults set -`,
    ],
    show: { view: faultsView },
  }),
  clear: row('DELETE /accounts/:account/faults', {
    summary: 'remove all faults',
    description: 'Remove all faults.',
    examples: ['paysim sim faults clear'],
    show: { view: faultsView },
  }),
})

export const holds = nounOf('sim holds', {
  list: row('GET /accounts/:account/holds', {
    summary: 'list what is held now',
    description:
      'List the calls, answers and webhooks that a fault of type hold holds now, the oldest first.',
    examples: ['paysim sim holds', 'paysim sim holds list --account shop'],
    show: {
      table: {
        empty: 'Nothing is held.',
        columns: [
          idColumn(),
          memberColumn('kind', 'kind'),
          { header: 'what', value: row => aboutOf(row as HoldRecord), give: 1, least: 20 },
          timeColumn('until', 'until'),
          memberColumn('fault', 'fault', { give: 2 }),
        ],
      },
    },
  }),
  release: row('POST /accounts/:account/holds/:id/release', {
    summary: 'let go what is held',
    description:
      'Let a held call, answer or webhook go on: as it is, changed, failed or dropped. With a status, a call is not carried out, and a webhook is not sent.',
    arguments: { '<id>': { about: 'id of what is held, such as hold_123', to: 'params.id' } },
    flags: {
      '--status <code>': {
        about: 'answer with this status, or end the attempt of a webhook with it',
        to: 'body.status',
        parse: count,
      },
      '--body <text>': {
        about: 'answer with this body, or send it as the webhook; JSON or text',
        to: 'body.body',
        value: jsonOrText,
      },
      '--header <line>': {
        about: "set a header, such as 'retry-after: 5' (repeatable)",
        to: 'body.headers',
        parse: headerLine,
      },
      '--drop': {
        about: 'reset the connection; a webhook is not sent, and tried again later',
        to: 'body.drop',
      },
    },
    examples: [
      'paysim sim holds release hold_123',
      "paysim sim holds release hold_123 --status 503 --header 'retry-after: 5'",
      'paysim sim holds release hold_123 --drop',
    ],
    show: { view: { human: hold => `${hold.id} let go: ${aboutOf(hold)}`, rows: hold => [hold] } },
  }),
})

function aboutOf({ kind, request, delivery, status }: HoldRecord): string {
  if (delivery) return `${delivery.event_type ?? delivery.event} to ${delivery.url}`
  const call = request ? `${request.method} ${request.path}` : ''
  return kind === 'answer' ? `${status} to ${call}` : call
}

function headerLine(line: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value = ''] = /^([^\s:]+):\s*(.*)$/s.exec(line) ?? []
  if (name === undefined)
    throw new InvalidArgumentError("It must be a name and a value, such as 'retry-after: 5'.")
  return { ...before, [name]: value }
}

/** For a fault with `for: 1h`, when that hour begins and ends. */
function windowOf(
  fault: FaultRule,
  window: FaultsState['windows'][number] | undefined,
): { happens?: string } {
  if (fault.for === undefined || !window) return {}
  const { from, until } = window
  return { happens: [from && `from ${from}`, until && `until ${until}`].filter(Boolean).join(' ') }
}

interface NamedRule {
  readonly name?: string
  readonly off?: boolean
  readonly [member: string]: unknown
}

/** A provider rule or a fault as its author wrote it, one key a line, and how often it was used. */
function drawRule(rule: object, at: number, used = 0, screen: Screen): string {
  const { name, off, ...keys } = rule as NamedRule
  const { paint } = screen
  const state = off === true ? `  ${paint.yellow('off')}` : ''
  const count =
    used === 0 ? paint.dim('not used yet') : paint.green(`used ${used === 1 ? 'once' : `${used} times`}`)
  const number = String(at + 1).padStart(2)
  const title = name === undefined ? paint.dim('no name') : paint.bold(visible(name))
  return [
    `${number}  ${title}${state}  ${count}`,
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
