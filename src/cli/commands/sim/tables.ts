import type { ChalkInstance } from 'chalk'
import { InvalidArgumentError } from 'commander'
import type { EndpointRecord } from '../../../client/control-client.ts'
import type { RequestRecord } from '../../../contract/control/journal.ts'
import { formatDuration } from '../../../contract/durations.ts'
import { memberAt } from '../../../contract/json.ts'
import { parseTimestamp } from '../../../contract/timestamps.ts'
import { commaSeparated, didYouMean } from '../../flag-values.ts'
import { idColumn, memberColumn } from '../../output/columns.ts'
import { formatMoney, plain } from '../../output/members.ts'
import type { Screen } from '../../output/screen.ts'
import type { Column } from '../../output/table.ts'
import { paintHttpStatus, visible } from '../../output/text.ts'
import { localTime } from '../../output/time.ts'

/** A secret, hidden but for its last four characters unless it is to be revealed. */
function secretText(secret: string | null | undefined, reveal: boolean): string {
  if (!secret || reveal) return secret ?? ''
  return secret.replace(/^((?:[a-z]+_)*).*?(.{4})$/, '$1…$2')
}

export const keyColumns = (reveal = false): Column[] => [
  memberColumn('public key', 'public_key'),
  memberColumn('secret key', 'secret_key', {
    value: row => secretText((row as { secret_key: string | null }).secret_key, reveal),
  }),
]

export const endpointColumns = (reveal = false, id?: string): Column[] => [
  idColumn(id),
  memberColumn('url', 'url', { give: 1, least: 20 }),
  {
    header: 'events',
    value: row => (row as EndpointRecord).events?.join(', ') ?? 'final events',
    give: 2,
    least: 14,
  },
  {
    header: 'secret',
    value: row => secretText((row as EndpointRecord).secret, reveal),
    give: reveal ? 0 : 3,
  },
  {
    header: 'state',
    value: row => ((row as EndpointRecord).disabled ? 'disabled' : 'active'),
    paint: (shown, row, { paint }) =>
      (row as EndpointRecord).disabled ? paint.red(shown) : paint.green(shown),
  },
]

/** Checkout modes, or "both" or "none". */
export function modesText(modes: readonly string[]): string {
  return modes.length === 2 ? 'both' : modes.join(', ') || 'none'
}

/** Which records of a list to show. */
export const ofStatus = (known: readonly string[]) =>
  ({
    '--status <status>': {
      about: 'only with this status; separate several with commas, or repeat the option',
      to: 'query.status',
      takes: { list: true },
      choices: known,
      parse: (text: string, before?: readonly string[]) => {
        const names = commaSeparated(text, before)
        const unknown = names.find(name => !known.includes(name))
        if (unknown === undefined) return names
        throw new InvalidArgumentError(
          `${didYouMean(unknown, known)}Allowed choices are ${known.join(', ')}.`,
        )
      },
      value: (names: readonly string[]) => names.join(','),
    },
  }) as const

/** Why something fails, instead of the standard reason. */
export const FAILURE_MESSAGE = {
  '--message <text>': { about: 'reason for people to read', to: 'body.failure_message' },
} as const
export const FAILURE = {
  '--code <code>': { about: 'failure_code, such as insufficient_funds', to: 'body.failure_code' },
  ...FAILURE_MESSAGE,
} as const

/** A value in the short form of YAML, on one line: `{ kind: payment, amount: { gte: "100000" } }`. */
export function inlineYaml(value: unknown): string {
  if (typeof value === 'string') return quotedIfNeeded(value)
  if (Array.isArray(value)) return `[${value.map(inlineYaml).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const inner = Object.entries(value).map(
      ([name, member]) => `${quotedIfNeeded(name)}: ${inlineYaml(member)}`,
    )
    return inner.length === 0 ? '{}' : `{ ${inner.join(', ')} }`
  }
  return String(value)
}

/** Members of an object without its braces: `from: pending, code: "declined"`. */
export function inlineYamlMembers(members: object): string {
  const present = Object.entries(members).filter(([, member]) => member !== undefined && member !== null)
  return present.map(([name, member]) => `${name}: ${inlineYaml(member)}`).join(', ')
}

/** Quotes a text that YAML would read as something else. */
function quotedIfNeeded(text: string): string {
  if (DURATION.test(text)) return text
  return WORDS.test(text) && !KEYWORDS.test(text) ? text : JSON.stringify(text)
}

const WORDS = /^[A-Za-z_/](?:[\w ./()@%+-]*[\w./()@%+-])?$/
const KEYWORDS = /^(?:true|false|null|yes|no|on|off)$/i
const DURATION = /^(?:\d+(?:ms|s|m|h|d))+$/

/** An event of the journal. A newer simulator may have types and members that are unknown here. */
interface JournalEvent {
  readonly type: string
  readonly [member: string]: unknown
}

export interface EventSummary {
  /** `payment created`. */
  readonly what: string
  /** The id of the record that it happened to. */
  readonly subject: string
  readonly details: string
}

/** Describes an event in one line. `at` is its time in the journal. */
export function eventSummary(event: JournalEvent, at: string, { timeZone }: Screen): EventSummary {
  const { type, ...members } = event
  const details = DETAILS[type] ?? allMembers
  return {
    what: type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase(),
    subject: subjectOf(members),
    details: details(members, {
      at: parseTimestamp(at) ?? 0,
      time: value => (typeof value === 'number' ? localTime(value, timeZone) : ''),
    }),
  }
}

/** A request in the words of `serve` and `sim stream`. `why`: why it was refused, or not answered as it should be. */
export function requestWords(
  { method, path, status, ms, ignored }: RequestRecord,
  { paint }: Screen,
  why = '',
): string {
  return [
    `${visible(method)} ${visible(path)}`,
    `${paintHttpStatus(status, paint)}${why === '' ? '' : ` ${visible(why)}`}`,
    paint.dim(`${Math.round(ms)} ms`),
    ...(ignored.length === 0 ? [] : [paint.yellow(`ignored: ${visible(ignored.join(', '))}`)]),
  ].join('  ')
}

/** Makes final states stand out, and dims what only keeps the simulator running. */
export function paintEvent(what: string, paint: ChalkInstance): (text: string) => string {
  if (/(?:succeeded|accepted)$/.test(what)) return paint.green
  if (/(?:failed|rejected|disabled)$/.test(what)) return paint.red
  if (/(?:cancelled|expired|cancel requested)$/.test(what)) return paint.yellow
  return /^(?:timer|answer|rules consulted|faults counted|attempt|delivery|event)/.test(what)
    ? paint.dim
    : text => text
}

type Members = Readonly<Record<string, unknown>>

interface Times {
  readonly at: number
  readonly time: (value: unknown) => string
}

const SUBJECTS = ['payment', 'payout', 'delivery', 'endpoint', 'asset', 'timer', 'event', 'provider']

const subjectOf = (members: Members) =>
  plain(SUBJECTS.map(name => members[name]).find(id => typeof id === 'string'))

/** The details of known events. For other events, all members are shown. */
const DETAILS: Readonly<Record<string, (members: Members, times: Times) => string>> = {
  PaymentCreated: members =>
    listed(money(members), members.country, members.checkoutMode, members.merchantReference),
  RouteFrozen: ({ route, script, byPayer }) =>
    listed(
      `${plain(memberAt(route, 'method'))} by ${plain(memberAt(route, 'provider'))}, route ${plain(memberAt(route, 'id'))}`,
      byPayer === true ? 'chosen by the payer' : null,
      named('rule', memberAt(script, 'rule')),
    ),
  ActionPresented: ({ expiresAt }, { time }) => named('until', time(expiresAt)),
  ReceiptSubmitted: ({ digest, asset }) => listed(named('SHA-256', digest), asset),
  ReceiptRejected: ({ message }) => plain(message),
  PaymentFailed: ({ failure }) => reason(failure),
  PaymentCancelled: ({ outcome, failure }) => listed(outcome, reason(failure)),
  PayoutCreated: members =>
    listed(
      money(members),
      `to ${plain(memberAt(members.recipient, 'holderName'))}, ${plain(memberAt(members.recipient, 'bankCode'))}`,
      members.merchantReference,
      members.status,
      named('rule', memberAt(members.script, 'rule')),
    ),
  PayoutFailed: ({ failure }) => reason(failure),
  PayoutCancelled: ({ reason: why }) => plain(why),
  AssetStored: ({ kind, contentType, digest }) => listed(kind, contentType, named('SHA-256', digest)),
  AnswerKept: () => 'for its idempotency key',
  TimerSet: ({ command, dueAt }, { at }) => listed(commandName(command), after(dueAt, at)),
  TimerFired: () => '',
  EventEmitted: ({ name }) => plain(name),
  EndpointAdded: ({ url }) => plain(url),
  EndpointSecretsSet: () => '',
  DeliveryQueued: ({ event, dueAt, fault }, { at }) => listed(event, after(dueAt, at), named('fault', fault)),
  AttemptEnded: ({ result, next }, { at }) =>
    listed(
      memberAt(result, 'status') ?? memberAt(result, 'error'),
      typeof next === 'number' ? `again ${after(next, at)}` : null,
    ),
  FaultsReplaced: ({ faults }) => counted(faults),
  RulesReplaced: ({ rules }) => (rules === null ? 'with those that ship with paysim' : counted(rules)),
  RulesPutInFront: ({ rules }) => counted(rules),
  FaultsCounted: () => '',
  RulesConsulted: () => '',
  CatalogueReplaced: () => '',
  ProviderHealthSet: ({ healthy }) => (healthy === true ? 'up' : 'down'),
  ClockSet: ({ clock }, { time }) =>
    listed(memberAt(clock, 'mode'), time(memberAt(clock, 'accountAt')), rateOf(memberAt(clock, 'rate'))),
}

const allMembers = (members: Members) =>
  inlineYamlMembers(Object.fromEntries(Object.entries(members).filter(([name]) => !SUBJECTS.includes(name))))

const listed = (...parts: readonly unknown[]) => parts.map(plain).filter(Boolean).join(', ')
const named = (name: string, value: unknown) => (plain(value) === '' ? '' : `${name} ${plain(value)}`)
const money = ({ amount, currency }: Members) => formatMoney(amount, currency)
const reason = (failure: unknown) =>
  [memberAt(failure, 'code'), memberAt(failure, 'message')].map(plain).filter(Boolean).join(': ')
const counted = (list: unknown) => (Array.isArray(list) ? String(list.length) : '')
const rateOf = (rate: unknown) => (rate === 1 ? '' : named('rate', rate))

const commandName = (command: unknown) =>
  plain(
    memberAt(command, 'trigger') ??
      plain(memberAt(command, 'type'))
        .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
        .toLowerCase(),
  )

function after(dueAt: unknown, at: number): string {
  if (typeof dueAt !== 'number') return ''
  return dueAt <= at ? 'at once' : `in ${formatDuration(dueAt - at)}`
}
