import type { HttpFaultType } from '../contract/control/faults.ts'
import type { Coming } from '../contract/control/timeline.ts'
import type { Why } from '../contract/control/why.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { shellWords } from '../contract/shell-words.ts'
import { formatTimestamp, parseTimestamp } from '../contract/timestamps.ts'
import type { Entry } from './events.ts'
import type { PaymentTrigger, PayoutTrigger } from './lifecycle.ts'
import { type Delivery, type Payment, type Payout, statusOf } from './model.ts'
import type { ForeseenRule } from './rules/foresee.ts'
import { UNSCRIPTED_PAYMENT, UNSCRIPTED_PAYOUT } from './script.ts'

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

type Cause = Why['because'][number]
type Next = NonNullable<Why['next']>

/** What is said about a reason. */
interface Told {
  readonly sentence: string
  /** Whom it waits for, if no timer brings what comes next. */
  readonly waits?: Pick<Next, 'what' | 'by'>
  /** The commands that fit it, without `paysim sim` and the account. */
  readonly commands: readonly (readonly string[])[]
}

// Payments.

export type PaymentReason =
  | { readonly is: 'choice'; readonly rule: ForeseenRule }
  | { readonly is: 'page closed' }
  | { readonly is: 'cancellation timed'; readonly at: string; readonly trigger: PaymentTrigger }
  | { readonly is: 'cancellation by hand'; readonly rule: string }
  | { readonly is: 'action timed'; readonly at: string }
  | { readonly is: 'action over' }
  | { readonly is: 'receipt required' }
  | { readonly is: 'receipt timed'; readonly at: string; readonly trigger: PaymentTrigger }
  | { readonly is: 'receipt by hand'; readonly rule: string }
  | { readonly is: 'receipt rejected'; readonly message: string }
  | {
      readonly is: 'outcome timed'
      readonly at: string
      readonly trigger: PaymentTrigger
      readonly rule: string
    }
  | { readonly is: 'outcome by hand'; readonly rule: string | null; readonly receipt: boolean }
  | ({ readonly is: 'ended'; readonly status: 'succeeded' | 'expired' } & Ending)
  | ({ readonly is: 'ended'; readonly status: 'failed'; readonly failure: string } & Ending)
  | ({ readonly is: 'cancelled'; readonly status: string; readonly failure: string | null } & Ending)

/** Who or what ended a record. */
interface Ending {
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

/** What the answer about a payment depends on besides. */
export interface PaymentFacts extends Surroundings {
  /** For a payment whose method is still to be chosen. */
  readonly foreseen: ForeseenRule
  /** A method that the payer could choose without giving anything else. */
  readonly method: string | null
  /** The triggers that would be accepted now. */
  readonly triggers: readonly PaymentTrigger[]
}

export function whyPayment(payment: Payment, facts: PaymentFacts): Why {
  const { id } = payment.sortKey
  const reason = paymentReason(payment, facts)
  const told = tellPayment(reason, { id, method: facts.method })
  const commands = told.commands.filter(
    ([noun, verb = '']) => noun !== 'payments' || verb === 'choose' || accepts(facts.triggers, verb),
  )
  return answer({ id, kind: 'payment', status: statusOf(payment) }, { ...told, commands }, facts, [
    ...ruleCause(payment, facts.foreseen),
    ...(payment.route
      ? [{ what: `the route ${payment.route.id} was chosen, of the provider ${payment.route.provider}` }]
      : []),
    ...(payment.cancelRequestedAt === null
      ? []
      : [{ what: 'a cancellation was requested', at: formatTimestamp(payment.cancelRequestedAt) }]),
    ...(payment.outcome !== null && payment.receipt?.status === 'processing'
      ? [{ what: 'its receipt is still being checked, which changes only the receipt' }]
      : []),
    ...endCause(payment.outcome !== null, facts, id),
  ])
}

const accepts = (triggers: readonly string[], verb: string) => triggers.includes(verb)

function paymentReason(
  payment: Payment,
  facts: Pick<PaymentFacts, 'coming' | 'entries' | 'foreseen'>,
): PaymentReason {
  const { outcome, failure, route, action, receipt, script } = payment
  const { id } = payment.sortKey
  const rule = ruleName(script.rule)
  const timed = (kind: Coming['kind']) => timedMove(facts.coming, kind)
  if (outcome !== null) {
    const ending = { how: endedBy(facts.entries, id).how, rule }
    const reason = failure ? `${failure.code}: ${failure.message}` : null
    if (payment.cancelled) return { is: 'cancelled', status: outcome, failure: reason, ...ending }
    if (outcome === 'failed')
      return { is: 'ended', status: outcome, failure: reason ?? 'without a code', ...ending }
    return { is: 'ended', status: outcome, ...ending }
  }
  if (payment.cancelRequestedAt !== null) {
    const answered = timed('cancel')
    return answered ? { is: 'cancellation timed', ...answered } : { is: 'cancellation by hand', rule }
  }
  if (!route) return action ? { is: 'choice', rule: facts.foreseen } : { is: 'page closed' }
  const end = timed('outcome')
  const presented = timed('present-action')
  if (!action && presented && !end) return { is: 'action timed', at: presented.at }
  if (end) return { is: 'outcome timed', ...end, rule }
  if (!action && receipt?.status !== 'submitted') return { is: 'action over' }
  switch (receipt?.status) {
    case 'required':
      return { is: 'receipt required' }
    case 'rejected':
      return { is: 'receipt rejected', message: receipt.rejection ?? 'The receipt was rejected' }
    case 'processing': {
      const verdict = timed('receipt')
      return verdict ? { is: 'receipt timed', ...verdict } : { is: 'receipt by hand', rule }
    }
    case 'submitted':
    case undefined:
      return {
        is: 'outcome by hand',
        rule: script === UNSCRIPTED_PAYMENT ? null : rule,
        receipt: receipt !== null,
      }
  }
}

const timedMove = (coming: readonly Coming[], kind: Coming['kind']) => {
  const move = coming.find(each => each.kind === kind && each.due_at !== null)
  // The timer of a payment always has a trigger of payments.
  return move?.due_at ? { at: move.due_at, trigger: (move.trigger ?? 'expire') as PaymentTrigger } : undefined
}

/** The sentence of each reason. No two of them are the same. */
export function tellPayment(
  reason: PaymentReason,
  { id, method }: { readonly id: string; readonly method: string | null },
): Told {
  const by = (...triggers: PaymentTrigger[]) => triggers.map(trigger => ['payments', trigger, id])
  const operator = (what: string) => ({ what, by: 'operator' as const })
  switch (reason.is) {
    case 'choice':
      return {
        sentence: `It waits for the payer to choose a method on the hosted page; ${foreseenWords(reason.rule)}.`,
        waits: { what: 'the payer chooses a method', by: 'payer' },
        commands: [...(method === null ? [] : [['payments', 'choose', id, method]]), ...by('expire')],
      }
    case 'page closed':
      return {
        sentence: 'The hosted page closed before the payer chose a method, so nothing can succeed any more.',
        commands: by('present-action', 'expire'),
      }
    case 'cancellation timed':
      return {
        sentence: `The merchant asked to cancel it; at ${reason.at} the provider answers that ${CANCEL_ANSWERS[reason.trigger] ?? reason.trigger}.`,
        commands: by('confirm-cancel', 'succeed'),
      }
    case 'cancellation by hand':
      return {
        sentence: `The merchant asked to cancel it, and ${reason.rule} leaves the provider's answer to you.`,
        waits: operator('you confirm the cancellation, or end the payment otherwise'),
        commands: by('confirm-cancel', 'succeed', 'fail'),
      }
    case 'action timed':
      return {
        sentence: `The provider is still preparing what the payer needs; the payer can act from ${reason.at}.`,
        commands: by('present-action'),
      }
    case 'action over':
      return {
        sentence: 'The payer can no longer act, and no rule says how it ends.',
        waits: operator('you decide how it ends, or let the payer act again'),
        commands: by('present-action', 'succeed', 'fail'),
      }
    case 'receipt required':
      return {
        sentence: 'It waits for a receipt: the payer has transferred the money, or still has to.',
        waits: { what: 'a receipt is submitted', by: 'merchant' },
        commands: by('succeed', 'fail'),
      }
    case 'receipt timed':
      return {
        sentence: `Its receipt is being checked, and is ${reason.trigger === 'reject-receipt' ? 'rejected' : 'accepted'} at ${reason.at}.`,
        commands: by('accept-receipt', 'reject-receipt'),
      }
    case 'receipt by hand':
      return {
        sentence: `Its receipt is being checked, and ${reason.rule} leaves the verdict to you.`,
        waits: operator('you accept or reject the receipt'),
        commands: by('accept-receipt', 'reject-receipt'),
      }
    case 'receipt rejected':
      return {
        sentence: `Its receipt was rejected (${reason.message}), and it waits for another one.`,
        waits: { what: 'another receipt is submitted', by: 'merchant' },
        commands: by('succeed', 'fail'),
      }
    case 'outcome timed':
      return {
        sentence: `At ${reason.at} ${MOVES[reason.trigger]}, because ${reason.rule} says so.`,
        commands: by('succeed', 'fail'),
      }
    case 'outcome by hand': {
      const before = reason.receipt
        ? 'Its receipt was accepted; it now waits'
        : 'It waits for the payer to pay, or'
      const open = reason.rule === null ? 'no rule matched it' : `${reason.rule} leaves the outcome open`
      return {
        sentence: `${before} for you to decide how it ends, because ${open}.`,
        waits: reason.receipt
          ? operator('you decide how it ends')
          : { what: 'the payer pays, or you decide how it ends', by: 'payer' },
        commands: by('succeed', 'fail'),
      }
    }
    case 'ended': {
      const what = reason.status === 'failed' ? `It failed (${reason.failure})` : `It ${reason.status}`
      return { sentence: `${what}: ${endWords(reason)}.`, commands: endCommands(id, by) }
    }
    case 'cancelled': {
      const shown = reason.failure === null ? reason.status : `${reason.status}, ${reason.failure}`
      return {
        sentence: `It was cancelled, which is shown as ${shown}: ${endWords(reason)}.`,
        commands: endCommands(id, by),
      }
    }
  }
}

/** After the end, only the check of a receipt goes on; the history says what happened. */
const endCommands = (id: string, by: (...triggers: PaymentTrigger[]) => string[][]) => [
  ['history', id],
  ...by('accept-receipt', 'reject-receipt'),
]

const MOVES: { readonly [T in PaymentTrigger]: string } = {
  'present-action': 'the payer can act',
  'withdraw-action': 'what the payer could do expires',
  succeed: 'it succeeds',
  fail: 'it fails',
  expire: 'it expires',
  'accept-receipt': 'the receipt is accepted',
  'reject-receipt': 'the receipt is rejected',
  'confirm-cancel': 'the cancellation is confirmed',
}

const CANCEL_ANSWERS: Readonly<Partial<Record<PaymentTrigger, string>>> = {
  'confirm-cancel': 'it is cancelled',
  succeed: 'it was paid already',
  fail: 'it failed instead',
  expire: 'it expired instead',
}

function foreseenWords(rule: ForeseenRule): string {
  switch (rule.is) {
    case 'rule': {
      const open = rule.manual ? ', which leaves the outcome to you' : ''
      return `${ruleName(rule.name)} will apply, whatever is chosen${open}`
    }
    case 'none':
      return 'no rule will apply, so it then waits for you'
    case 'depends':
      return 'which rule applies depends on what the payer chooses'
    case 'no method':
      return 'but no method can be chosen now, because no healthy route takes it'
  }
}

const ruleName = (name: string | null) => (name === null ? 'its rule' : `the rule "${name}"`)

function ruleCause({ sortKey, route, script }: Payment, foreseen: ForeseenRule): Cause[] {
  if (!route) {
    const created = { what: 'it was created without a method', at: formatTimestamp(sortKey.createdAt) }
    return foreseen.is === 'rule' ? [created, { what: foreseenWords(foreseen) }] : [created]
  }
  if (script === UNSCRIPTED_PAYMENT) return [{ what: 'no rule matched when its method was chosen' }]
  return [{ what: `${ruleName(script.rule)} matched when its method was chosen` }]
}

// Payouts.

export type PayoutReason =
  | { readonly is: 'approval timed'; readonly at: string; readonly rule: string }
  | { readonly is: 'approval by hand'; readonly rule: string | null }
  | {
      readonly is: 'outcome timed'
      readonly at: string
      readonly trigger: PayoutTrigger
      readonly rule: string
    }
  | { readonly is: 'outcome by hand'; readonly rule: string | null }
  | ({ readonly is: 'ended'; readonly status: 'succeeded' } & Ending)
  | ({
      readonly is: 'ended'
      readonly status: 'failed' | 'cancelled'
      readonly reason: string | null
    } & Ending)

export interface PayoutFacts extends Surroundings {
  readonly triggers: readonly PayoutTrigger[]
}

export function whyPayout(payout: Payout, facts: PayoutFacts): Why {
  const { id } = payout.sortKey
  const told = tellPayout(payoutReason(payout, facts), id)
  const commands = told.commands.filter(
    ([noun, verb = '']) => noun !== 'payouts' || accepts(facts.triggers, verb),
  )
  const { script, status } = payout
  const rule = script === UNSCRIPTED_PAYOUT ? 'no rule' : ruleName(script.rule)
  return answer({ id, kind: 'payout', status }, { ...told, commands }, facts, [
    { what: `${rule} matched when it was created`, at: formatTimestamp(payout.sortKey.createdAt) },
    ...endCause(status !== 'requires_approval' && status !== 'processing', facts, id),
  ])
}

function payoutReason(payout: Payout, { coming, entries }: Surroundings): PayoutReason {
  const { status, script, failure, cancelReason } = payout
  const rule = ruleName(script.rule)
  const openRule = script === UNSCRIPTED_PAYOUT ? null : rule
  const timed = (kind: Coming['kind']) =>
    coming.find(each => each.kind === kind && each.due_at !== null)?.due_at
  switch (status) {
    case 'requires_approval': {
      const at = timed('approve')
      return at ? { is: 'approval timed', at, rule } : { is: 'approval by hand', rule: openRule }
    }
    case 'processing': {
      const at = timed('outcome')
      if (!at) return { is: 'outcome by hand', rule: openRule }
      const trigger = coming.find(({ kind }) => kind === 'outcome')?.trigger === 'fail' ? 'fail' : 'succeed'
      return { is: 'outcome timed', at, trigger, rule }
    }
    case 'succeeded':
      return { is: 'ended', status, how: endedBy(entries, payout.sortKey.id).how, rule }
    case 'failed':
    case 'cancelled': {
      const reason = failure ? `${failure.code}: ${failure.message}` : cancelReason
      return { is: 'ended', status, reason, how: endedBy(entries, payout.sortKey.id).how, rule }
    }
  }
}

export function tellPayout(reason: PayoutReason, id: string): Told {
  const by = (...triggers: PayoutTrigger[]) => triggers.map(trigger => ['payouts', trigger, id])
  const open = (rule: string | null, what: string) =>
    rule === null ? 'no rule matched it' : `${rule} leaves ${what} open`
  switch (reason.is) {
    case 'approval timed':
      return {
        sentence: `It waits for its approval, which comes at ${reason.at}, because ${reason.rule} says so.`,
        commands: by('approve', 'cancel'),
      }
    case 'approval by hand':
      return {
        sentence: `It waits for you to approve or cancel it, because ${open(reason.rule, 'the approval')}.`,
        waits: { what: 'you approve or cancel it', by: 'operator' },
        commands: by('approve', 'cancel'),
      }
    case 'outcome timed':
      return {
        sentence: `It is being paid out; at ${reason.at} ${MOVES[reason.trigger === 'fail' ? 'fail' : 'succeed']}, because ${reason.rule} says so.`,
        commands: by('succeed', 'fail'),
      }
    case 'outcome by hand':
      return {
        sentence: `It is being paid out, and waits for you to decide how that ends, because ${open(reason.rule, 'the outcome')}.`,
        waits: { what: 'you decide how it ends', by: 'operator' },
        commands: by('succeed', 'fail'),
      }
    case 'ended': {
      const verb = reason.status === 'cancelled' ? 'was cancelled' : reason.status
      const why = 'reason' in reason && reason.reason !== null ? ` (${reason.reason})` : ''
      return { sentence: `It ${verb}${why}: ${endWords(reason)}.`, commands: [['history', id]] }
    }
  }
}

// The end of a payment or payout.

function endWords({ how, rule }: Ending): string {
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
function endedBy(
  entries: readonly Entry[],
  id: string,
): { readonly how: EndedBy; readonly at: number | null } {
  const isOf = (event: Entry['events'][number]) =>
    ('payment' in event && event.payment === id) || ('payout' in event && event.payout === id)
  const last = entries.findLast(({ events }) =>
    events.some(event => isOf(event) && (ENDS.has(event.type) || event.type === 'PayoutCreated')),
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

function endCause(ended: boolean, { entries }: Surroundings, id: string): Cause[] {
  const { at } = endedBy(entries, id)
  return ended && at !== null ? [{ what: 'it ended', at: formatTimestamp(at) }] : []
}

// Deliveries.

export type DeliveryReason =
  | { readonly is: 'first attempt'; readonly at: string }
  | { readonly is: 'delayed'; readonly at: string }
  | { readonly is: 'held'; readonly at: string }
  | { readonly is: 'overtaken'; readonly at: string }
  | { readonly is: 'sent again'; readonly at: string }
  | { readonly is: 'retry'; readonly at: string; readonly tried: number; readonly last: string }
  | { readonly is: 'under way'; readonly tried: number }
  | { readonly is: 'delivered'; readonly tried: number; readonly status: number }
  | { readonly is: 'taken with a wrong signature'; readonly status: number }
  | { readonly is: 'given up'; readonly tried: number; readonly last: string }
  | { readonly is: 'endpoint gone' }
  | { readonly is: 'endpoint disabled' }
  | { readonly is: 'endpoint removed' }
  | { readonly is: 'dropped' }

export interface DeliveryFacts extends Surroundings {
  readonly eventType: string | null
  readonly endpoint: 'there' | 'disabled' | 'removed'
  /** Whether a fault holds it until the next event overtakes it. */
  readonly held: boolean
}

export function whyDelivery(delivery: Delivery, facts: DeliveryFacts): Why {
  const { id, status, attempts, fault, eventId, endpointId, createdAt } = delivery
  const told = tellDelivery(deliveryReason(delivery, facts), id)
  const isFree = facts.endpoint === 'there' && status !== 'attempting'
  const commands = told.commands.filter(([, verb]) => verb !== 'redeliver' || isFree)
  return answer({ id, kind: 'delivery', status }, { ...told, commands }, facts, [
    {
      what: `the event ${facts.eventType ?? 'is no longer kept'}`,
      id: eventId,
      at: formatTimestamp(createdAt),
    },
    { what: `its endpoint is ${delivery.url}`, id: endpointId },
    ...(fault === null ? [] : [{ what: `the fault ${fault} affected it` }]),
    ...attempts.flatMap(({ startedAt, result }, nth) =>
      result ? [{ what: `attempt ${nth + 1}: ${resultWords(result)}`, at: formatTimestamp(startedAt) }] : [],
    ),
  ])
}

const resultWords = ({
  status,
  error,
}: {
  readonly status: number | null
  readonly error: string | null
}): string => (status === null ? (error ?? 'no answer') : `answered ${status}`)

function deliveryReason(delivery: Delivery, facts: DeliveryFacts): DeliveryReason {
  const { id, status, attempts, fault, nextAttemptAt } = delivery
  const last = attempts.at(-1)?.result ?? null
  const tried = attempts.length
  switch (status) {
    case 'pending': {
      const at = formatTimestamp(nextAttemptAt ?? facts.now)
      if (facts.held) return { is: 'held', at }
      const moved = movedBy(facts.entries, id)
      if (moved === 'operator') return { is: 'sent again', at }
      if (last) return { is: 'retry', at, tried, last: resultWords(last) }
      if (moved !== undefined) return { is: 'overtaken', at }
      return fault === 'delay' ? { is: 'delayed', at } : { is: 'first attempt', at }
    }
    case 'attempting':
      return { is: 'under way', tried }
    case 'delivered': {
      const answered = last?.status ?? 200
      return fault === 'bad_signature'
        ? { is: 'taken with a wrong signature', status: answered }
        : { is: 'delivered', tried, status: answered }
    }
    case 'failed':
      if (last?.status === 410) return { is: 'endpoint gone' }
      if (facts.endpoint === 'removed') return { is: 'endpoint removed' }
      if (facts.endpoint === 'disabled') return { is: 'endpoint disabled' }
      return { is: 'given up', tried, last: last ? resultWords(last) : 'no answer' }
    case 'dropped':
      return { is: 'dropped' }
  }
}

/** Who moved its next attempt, if nothing was sent since. */
function movedBy(entries: readonly Entry[], delivery: string): string | undefined {
  for (const { by, events } of entries.toReversed())
    for (const event of events) {
      if (!('delivery' in event) || event.delivery !== delivery) continue
      if (event.type === 'DeliveryMoved') return by
      if (event.type === 'AttemptStarted') return undefined
    }
  return undefined
}

export function tellDelivery(reason: DeliveryReason, id: string): Told {
  const again = [['deliveries', 'redeliver', id]]
  switch (reason.is) {
    case 'first attempt':
      return { sentence: `Its first attempt is due at ${reason.at}.`, commands: again }
    case 'delayed':
      return { sentence: `A fault delays its first attempt until ${reason.at}.`, commands: again }
    case 'held':
      return {
        sentence: `A fault holds it back until another event overtakes it, or until ${reason.at}.`,
        commands: again,
      }
    case 'overtaken':
      return { sentence: `Another event has overtaken it, so it follows at ${reason.at}.`, commands: again }
    case 'sent again':
      return { sentence: `Somebody asked to send it again, which is due at ${reason.at}.`, commands: again }
    case 'retry':
      return {
        sentence: `Attempt ${reason.tried} did not succeed (${reason.last}); the next one is due at ${reason.at}.`,
        commands: again,
      }
    case 'under way':
      return {
        sentence: `Attempt ${reason.tried} is under way: its receiver has not answered yet.`,
        waits: { what: 'the receiver answers, or its time is over', by: 'courier' },
        commands: [['deliveries', 'show', id]],
      }
    case 'delivered':
      return {
        sentence: `Its receiver answered attempt ${reason.tried} with ${reason.status}.`,
        commands: again,
      }
    case 'taken with a wrong signature':
      return {
        sentence: `Its receiver answered ${reason.status}, although a fault gave it a wrong signature: the receiver does not verify.`,
        commands: again,
      }
    case 'given up':
      return {
        sentence: `All ${reason.tried} attempts failed (the last one: ${reason.last}), so no more are made.`,
        commands: again,
      }
    case 'endpoint gone':
      return {
        sentence: 'Its receiver answered 410, which disabled the endpoint.',
        commands: [['endpoints', 'list']],
      }
    case 'endpoint disabled':
      return {
        sentence: 'Its endpoint was disabled by a 410 to another delivery before this one was delivered.',
        commands: [['endpoints', 'list']],
      }
    case 'endpoint removed':
      return {
        sentence: 'Its endpoint was removed before it was delivered.',
        commands: [['endpoints', 'list']],
      }
    case 'dropped':
      return { sentence: 'A fault dropped it, so it is never sent by itself.', commands: again }
  }
}

// Requests.

/** What the request log knows. */
export interface AnsweredRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly at: string
  /** What nothing read: members of the body, names of the query. */
  readonly ignored: readonly string[]
  readonly code: ErrorCode | null
  readonly message: string | null
  readonly fault: { readonly type: HttpFaultType; readonly carriedOut: boolean } | null
  /** Whether its answer is still kept. */
  readonly isKept: boolean
}

export function whyRequest(request: AnsweredRequest, account: string): Why {
  const { id, method, path, status, at, ignored, code, message } = request
  return {
    id,
    kind: 'request',
    status: String(status),
    sentence: tellRequest(request),
    because: [
      { what: `${method} ${path} was answered with ${status}`, at },
      ...(message === null ? [] : [{ what: message }]),
      ...ignored.map(name => ({ what: `${name} was ignored, because nothing reads it` })),
    ],
    next: null,
    commands: [
      commandLine(account, ['requests', 'show', id]),
      ...(code !== null && LOOK_AT[code] ? [commandLine(account, LOOK_AT[code])] : []),
      ...(request.fault ? [commandLine(account, ['faults', 'list'])] : []),
    ],
  }
}

export function tellRequest({ status, code, message, fault, ignored, isKept }: AnsweredRequest): string {
  if (fault) {
    const done = fault.carriedOut ? 'after the call was carried out' : 'before the call was carried out'
    return `A fault ${FAULTS[fault.type]}, ${done}.`
  }
  const unread = ignored.length === 0 ? '' : ` Nothing read ${ignored.join(', ')}.`
  if (code !== null) return `${REFUSALS[code]}${message === null ? '' : ` (${message})`}.${unread}`
  if (status >= 400) {
    const why = isKept ? 'without a code of the API' : 'and its answer, which says why, is no longer kept'
    return `It was refused with ${status}, ${why}.${unread}`
  }
  return `It was carried out, and answered with ${status}.${unread}`
}

const FAULTS: { readonly [T in HttpFaultType]: string } = {
  latency: 'delayed its answer',
  status: 'replaced its answer by an error',
  reset: 'reset the connection',
  empty: 'emptied its answer',
  truncate: 'cut its answer off',
  garbage: 'replaced its answer by something that is no JSON',
  drip: 'sent its answer drop by drop',
}

const REFUSALS: { readonly [C in ErrorCode]: string } = {
  validation_failed: 'Its fields are not as the API wants them',
  unauthorized: 'Its credentials are missing or wrong',
  checkout_mode_not_allowed: "The merchant's policy does not allow this checkout mode",
  not_found: 'The account has no such record or path',
  method_not_allowed: 'The path exists, but not with this method',
  idempotency_conflict: 'Its idempotency key was used for another request',
  idempotency_in_progress: 'A request with the same idempotency key is still being carried out',
  payload_too_large: 'Its body is larger than the API takes',
  unsupported_media_type: 'Its content type is not one that the API takes',
  payment_configuration_unavailable: 'No route is configured for what it asks for',
  routing_unavailable: 'A route is configured, but none of them can take it now',
  provider_capability_unsupported: 'The provider of this payment cannot do that',
  invalid_state: 'The record is not in a state in which that is possible',
  rate_limited: 'There were too many requests',
  internal_error: 'The simulator failed, which is a bug or a fault of its disk',
  service_unavailable: 'The simulator could not serve the account',
}

/** Where the cause of a refusal can be seen, and changed. */
const LOOK_AT: { readonly [C in ErrorCode]?: readonly string[] } = {
  payment_configuration_unavailable: ['catalogue', 'show'],
  routing_unavailable: ['catalogue', 'show'],
  provider_capability_unsupported: ['catalogue', 'show'],
}

// The answer.

const DEFAULT_ACCOUNT = 'default.test'

/** The command line, with its account unless that is the default. */
function commandLine(account: string, words: readonly string[]): string {
  const where = account === DEFAULT_ACCOUNT ? [] : ['--account', account]
  return shellWords(['paysim', 'sim', ...words, ...where])
}

/** What only ends a record if nothing else does. */
const DEADLINES: readonly Coming['kind'][] = ['withdraw-action', 'expire']

function answer(
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
