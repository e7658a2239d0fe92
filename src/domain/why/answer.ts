import type { Coming, Why } from '../../contract/control/timeline.ts'
import { shellWords } from '../../contract/shell-words.ts'
import type { PaymentTrigger } from '../../contract/statuses.ts'
import { formatTimestamp, parseTimestamp } from '../../contract/timestamps.ts'
import { changedRecord, type Entry } from '../events.ts'

/**
 * Why a record is as it is: a sentence, its causes, what comes next, and the commands that would bring it. Each kind of
 * record has a closed list of reasons, and each reason has its own sentence. Everything comes in as data.
 */

/** What a reason depends on besides its record. */
export interface Surroundings {
  /** As `<merchant>.<environment>`. */
  readonly account: string
  readonly now: number
  readonly clock: 'real' | 'virtual'
  /** What is planned, soonest first. */
  readonly coming: readonly Coming[]
  /** The record's entries, as far back as they are kept. */
  readonly entries: readonly Entry[]
}

export type Cause = Why['because'][number]
type Next = NonNullable<Why['next']>

/** What is said about a reason. */
export interface Told {
  readonly sentence: string
  /** Whom it waits for, if no timer brings what comes next. */
  readonly waits?: Pick<Next, 'what' | 'by'>
  /** The commands that fit it, without `paysim sim` and the account. */
  readonly commands: readonly (readonly string[])[]
}

export const accepts = (triggers: readonly string[], verb: string) => triggers.includes(verb)

export const ruleName = (name: string | null) => (name === null ? 'its rule' : `the rule "${name}"`)

export const MOVES: { readonly [T in PaymentTrigger]: string } = {
  'present-action': 'the payer can act',
  'withdraw-action': 'what the payer could do expires',
  succeed: 'it succeeds',
  fail: 'it fails',
  expire: 'it expires',
  'accept-receipt': 'the receipt is accepted',
  'reject-receipt': 'the receipt is rejected',
  'confirm-cancel': 'the cancellation is confirmed',
}

const DEFAULT_ACCOUNT = 'default.test'

/** The command line, with its account unless that is the default. */
export function commandLine(account: string, words: readonly string[]): string {
  const where = account === DEFAULT_ACCOUNT ? [] : ['--account', account]
  return shellWords(['paysim', 'sim', ...words, ...where])
}

/** What only ends a record if nothing else does. */
const DEADLINES: readonly Coming['kind'][] = ['withdraw-action', 'expire']

export function answer(
  record: Pick<Why, 'id' | 'kind' | 'status'>,
  { sentence, waits, commands }: Told,
  { account, now, clock, coming }: Surroundings,
  because: readonly Cause[],
): Why {
  const timed = coming.filter(({ due_at, held_by }) => due_at !== null && held_by === null)
  const planned = timed.find(({ kind }) => !DEADLINES.includes(kind))
  const next = nextOf(planned, waits, timed[0])
  const deadlines = timed.filter(each => DEADLINES.includes(each.kind) && each.due_at !== next?.at)
  const stands = clock === 'virtual' && next !== null && next.at !== null
  const at = Math.max(now, parseTimestamp(next?.at ?? '') ?? now)
  return {
    ...record,
    sentence,
    because: [
      ...because,
      ...deadlines.map(each => ({ what: `otherwise, ${comingWords(each)}`, at: each.due_at ?? '' })),
      ...(stands
        ? [{ what: 'the clock stands still until somebody advances it', at: formatTimestamp(now) }]
        : []),
    ],
    next,
    commands: [...(stands ? [['clock', 'advance', '--to', formatTimestamp(at)]] : []), ...commands].map(
      words => commandLine(account, words),
    ),
  }
}

function nextOf(
  planned: Coming | undefined,
  waits: Told['waits'],
  deadline: Coming | undefined,
): Next | null {
  const timed = (coming: Coming): Next => ({ at: coming.due_at, what: comingWords(coming), by: 'timer' })
  if (planned) return timed(planned)
  if (waits) return { at: null, ...waits }
  return deadline ? timed(deadline) : null
}

function comingWords({ kind, trigger, attempt }: Coming): string {
  switch (kind) {
    case 'attempt':
      return `attempt ${attempt?.number ?? 1} of the webhook is made`
    case 'approve':
      return 'it is approved'
    case 'cancel':
    case 'outcome':
    case 'receipt':
    case 'present-action':
    case 'withdraw-action':
    case 'expire':
      return isMove(trigger) ? MOVES[trigger] : 'it ends'
  }
}

const isMove = (trigger: string | null): trigger is PaymentTrigger =>
  trigger !== null && Object.hasOwn(MOVES, trigger)

/** Who or what ended a record. */
export interface Ending {
  readonly how: EndedBy
  readonly rule: string
}
export type EndedBy =
  | 'rule'
  | 'time limit'
  | 'cancellation'
  | 'operator'
  | 'payer'
  | 'merchant'
  | 'created'
  | 'unknown'

export function endWords({ how, rule }: Ending): string {
  switch (how) {
    case 'rule':
      return `${rule} says so`
    case 'time limit':
      return 'nothing ended it within its time limit'
    case 'cancellation':
      return 'so the provider answered the cancellation that the merchant asked for'
    case 'operator':
      return 'somebody decided so on the control surface'
    case 'payer':
      return 'the payer decided so on the page'
    case 'merchant':
      return 'the merchant asked for it'
    case 'created':
      return 'it was created that way'
    case 'unknown':
      return 'the entry that says who ended it is no longer kept'
  }
}

const ENDS = new Set<string>([
  'PaymentSucceeded',
  'PaymentFailed',
  'PaymentExpired',
  'PaymentCancelled',
  'PayoutSucceeded',
  'PayoutFailed',
  'PayoutCancelled',
])

/** Who or what ended a record, and when. */
export function endedBy(
  entries: readonly Entry[],
  id: string,
): { readonly how: EndedBy; readonly at: number | null } {
  const last = entries.findLast(({ events }) =>
    events.some(
      event => changedRecord(event) === id && (ENDS.has(event.type) || event.type === 'PayoutCreated'),
    ),
  )
  if (!last) return { how: 'unknown', at: null }
  const { at, by, events } = last
  if (!events.some(({ type }) => ENDS.has(type))) return { how: 'created', at }
  const fired = events.flatMap(event => (event.type === 'TimerFired' ? [event.timer] : []))
  if (fired.includes(`${id}:outcome`)) return { how: 'rule', at }
  if (fired.includes(`${id}:expire`)) return { how: 'time limit', at }
  if (fired.includes(`${id}:cancel`)) return { how: 'cancellation', at }
  return { how: by === 'operator' || by === 'payer' || by === 'merchant' ? by : 'unknown', at }
}

export function endCause(ended: boolean, { entries }: Surroundings, id: string): Cause[] {
  const { at } = endedBy(entries, id)
  return ended && at !== null ? [{ what: 'it ended', at: formatTimestamp(at) }] : []
}
