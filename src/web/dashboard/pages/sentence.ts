import { isRecord } from '../../../contract/json.ts'
import { humanise } from '../format.ts'

/**
 * Rules and faults as sentences. Each word here is an improvement: a member or a value that has none is shown by its name,
 * so that a new one needs no change.
 */

export type Json = unknown
export type Item = Readonly<Record<string, Json>>

/** What an item asks for; its other members say what happens then. */
export const CONDITIONS: Readonly<Record<string, string>> = { match: 'When', not: 'Unless' }
/** These have a place of their own. */
export const APART: readonly string[] = ['name', 'off', ...Object.keys(CONDITIONS)]

/** The last parts of a condition that compare. */
const COMPARISONS: Readonly<Record<string, string>> = {
  eq: 'is',
  gt: 'is over',
  gte: 'is at least',
  lt: 'is under',
  lte: 'is at most',
}

const CONDITION_NAMES: Readonly<Record<string, string>> = {
  kind: 'it',
  nth: 'its place among those that match',
  merchant_reference: 'the reference',
  type: 'the event',
}

/** How members begin that say what happens. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  outcome: 'it',
  receipt: 'a receipt',
  cancel: 'a cancellation',
  approval: 'it is approved',
  action: 'what the payer must do',
  expiry: 'without a payment it expires after',
  times: 'at most',
  nth: 'only match number',
  probability: 'with the probability',
  for: 'for',
  from: 'from',
  until: 'until',
  delay: 'by',
  retry_after: 'with a Retry-After of',
  limit: 'above',
  per: 'within',
  when: '',
  on: 'on',
  type: '',
  after: 'after',
  expires_after: 'is gone after',
  code: 'with',
  message: 'saying',
  status: '',
  verdict: '',
}
/** Where the same member begins in another way. */
const BEGINNINGS_IN: Readonly<Record<string, string>> = {
  'action.after': 'is shown after',
  'cancel.outcome': '',
  status: 'with status',
}

const ENDINGS: Readonly<Record<string, string>> = { times: 'times', limit: 'calls' }
export const ending = (path: readonly (string | number)[]): string | undefined => ENDINGS[path.at(-1) ?? '']

export function beginning(path: readonly (string | number)[]): string {
  const names = path.filter(name => typeof name === 'string')
  const last = names.at(-1) ?? ''
  return BEGINNINGS_IN[names.join('.')] ?? BEGINNINGS[last] ?? lower(last)
}

const VALUES: Readonly<Record<string, string>> = {
  payment: 'is a payment',
  payout: 'is a payout',
  succeeded: 'succeeds',
  failed: 'fails',
  expired: 'expires',
  cancelled: 'is confirmed',
  never: 'is never answered',
  accept: 'is accepted',
  reject: 'is rejected',
  manual: 'waits for somebody',
  before: 'before it is carried out',
  after_commit: 'after it was carried out',
  latency: 'the answer comes late',
  status: 'another answer comes',
  reset: 'the connection breaks',
  empty: 'the answer is empty',
  truncate: 'the answer is cut',
  garbage: 'the answer is garbage',
  drip: 'the answer comes in drops',
  rate: 'calls are refused',
  hold: 'it is held',
  delay: 'it comes late',
  duplicate: 'it comes twice',
  drop: 'it is lost',
  reorder: 'it comes after the next one',
  bad_signature: 'its signature is wrong',
}
/** What a fault happens to. */
const CALLS: Readonly<Record<string, string>> = { '*': 'every call', webhook: 'a webhook' }

const lower = (name: string) => humanise(name).toLowerCase()

export const valueText = (value: Json): string =>
  typeof value === 'string' ? (VALUES[value] ?? value) : JSON.stringify(value)

/** `amount is over`, `customer name is`. */
export function conditionText(path: readonly string[]): string {
  const comparison = COMPARISONS[path.at(-1) ?? '']
  const names = comparison === undefined ? path : path.slice(0, -1)
  const name = names.map(each => CONDITION_NAMES[each] ?? lower(each)).join(' ')
  return names[0] === 'kind' ? name : `${name} ${comparison ?? 'is'}`
}

/** The paths of what an item asks for. */
export const pathsIn = (value: Json, path: readonly string[] = []): (readonly string[])[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))
    : [path]

export const valueAt = (value: Json, path: readonly (string | number)[]): Json =>
  path.reduce<Json>(
    (within, name) => (within as Readonly<Record<string | number, Json>> | undefined)?.[name],
    value,
  )

function conditionsText(condition: Json): string {
  return pathsIn(condition)
    .map(path => `${conditionText(path)} ${[valueAt(condition, path)].flat().map(valueText).join(' or ')}`)
    .join(' and ')
}

/** What comes first in a sentence; the others follow in their order. */
const FIRST = ['on', 'type', 'status', 'verdict', 'approval', 'outcome', 'code', 'message']
export const inOrder = (names: readonly string[]): string[] =>
  [...names].sort((one, other) => placeOf(one) - placeOf(other))
const placeOf = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)

function clause(value: Json, path: readonly (string | number)[]): string {
  if (path.at(-1) === 'times' && value === 1) return 'only once'
  const text = Array.isArray(value)
    ? value.map((each, nth) => clause(each, [...path, nth])).join(', then ')
    : isRecord(value)
      ? inOrder(Object.keys(value))
          .map(name => clause(value[name], [...path, name]))
          .join(' ')
      : path.at(-1) === 'message'
        ? `“${value}”`
        : path.at(-1) === 'on'
          ? (CALLS[String(value)] ?? String(value))
          : valueText(value)
  return typeof path.at(-1) === 'number'
    ? text
    : [beginning(path), text, ending(path)].filter(Boolean).join(' ')
}

/** A rule or a fault as one sentence. */
export function sentenceOf(item: Item): string {
  const asks = Object.entries(CONDITIONS).flatMap(([name, word]) =>
    isRecord(item[name]) ? [`${word.toLowerCase()} ${conditionsText(item[name])}`] : [],
  )
  const happens = inOrder(Object.keys(item).filter(name => !APART.includes(name)))
  const [about, rest] = [happens.filter(name => name === 'on'), happens.filter(name => name !== 'on')]
  const before = [...about.map(name => clause(item[name], [name])), ...asks].join(' ') || 'always'
  const after = rest.map(name => clause(item[name], [name])).join(', ') || 'nothing happens by itself'
  return `${before.charAt(0).toUpperCase()}${before.slice(1)}: ${after}.`
}
