import { formatDuration } from '../../../../contract/durations.ts'
import { parseTimestamp } from '../../../../contract/timestamps.ts'
import { memberAt, plain } from '../../../output/members.ts'
import { formatMoney } from '../../../output/money.ts'
import type { Screen } from '../../../output/screen.ts'
import { localTime } from '../../../output/time.ts'
import { inlineMembers } from './inline-members.ts'

/** An event of the journal, as far as this file knows it: there may be others, with other members. */
export interface Happened {
  readonly type: string
  readonly [member: string]: unknown
}

export interface EventSummary {
  /** `payment created`. */
  readonly what: string
  /** The id of what it happened to. */
  readonly subject: string
  readonly more: string
}

/** What happened, in a line for people. `at` is when, as the journal has it. */
export function eventSummary(event: Happened, at: string, { timeZone }: Screen): EventSummary {
  const { type, ...members } = event
  const told = FACTS[type] ?? rest
  return {
    what: type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase(),
    subject: subjectOf(members),
    more: told(members, {
      at: parseTimestamp(at) ?? 0,
      time: value => (typeof value === 'number' ? localTime(value, timeZone) : ''),
    }),
  }
}

type Members = Readonly<Record<string, unknown>>

interface When {
  readonly at: number
  readonly time: (value: unknown) => string
}

const SUBJECTS = ['payment', 'payout', 'delivery', 'endpoint', 'asset', 'timer', 'event', 'provider']

const subjectOf = (members: Members) =>
  plain(SUBJECTS.map(name => members[name]).find(id => typeof id === 'string'))

/** What is worth a word of each event that has such; of others, all that they hold. */
const FACTS: Readonly<Record<string, (members: Members, when: When) => string>> = {
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
  TimerSet: ({ command, dueAt }, { at }) => listed(planned(command), after(dueAt, at)),
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
  RulesReplaced: ({ rules }) => (rules === null ? 'by those that ship' : counted(rules)),
  RulesPutInFront: ({ rules }) => counted(rules),
  FaultsCounted: () => '',
  RulesConsulted: () => '',
  CatalogueReplaced: () => '',
  ProviderHealthSet: ({ healthy }) => (healthy === true ? 'up' : 'down'),
  ClockSet: ({ clock }, { time }) =>
    listed(memberAt(clock, 'mode'), time(memberAt(clock, 'accountAt')), rateOf(memberAt(clock, 'rate'))),
}

const rest = (members: Members) =>
  inlineMembers(Object.fromEntries(Object.entries(members).filter(([name]) => !SUBJECTS.includes(name))))

const listed = (...parts: readonly unknown[]) => parts.map(plain).filter(Boolean).join(', ')
const named = (name: string, value: unknown) => (plain(value) === '' ? '' : `${name} ${plain(value)}`)
const money = ({ amount, currency }: Members) => formatMoney(amount, currency)
const reason = (failure: unknown) =>
  [memberAt(failure, 'code'), memberAt(failure, 'message')].map(plain).filter(Boolean).join(': ')
const counted = (list: unknown) => (Array.isArray(list) ? String(list.length) : '')
const rateOf = (rate: unknown) => (rate === 1 ? '' : named('rate', rate))

const planned = (command: unknown) =>
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
