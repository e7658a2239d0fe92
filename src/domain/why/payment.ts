import type { Coming, Why } from '../../contract/control/timeline.ts'
import type { PaymentTrigger } from '../../contract/statuses.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import { type Payment, statusOf } from '../model.ts'
import type { ForeseenRule } from '../rules/consult.ts'
import { UNSCRIPTED_PAYMENT } from '../script.ts'
import {
  accepts,
  answer,
  type Cause,
  type Ending,
  endCause,
  endedBy,
  endWords,
  MOVES,
  ruleName,
  type Surroundings,
  type Told,
} from './answer.ts'
import { unheard, type Webhook, webhookCauses } from './webhooks.ts'

/** Why a payment is as it is. */

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
  | ({ readonly is: 'cancelled'; readonly status: string } & Ending)

/** What the answer about a payment depends on besides. */
export interface PaymentFacts extends Surroundings {
  /** For a payment whose method is still to be chosen. */
  readonly foreseen: ForeseenRule
  /** A method that the payer could choose without giving anything else. */
  readonly method: string | null
  /** The triggers that would be accepted now. */
  readonly triggers: readonly PaymentTrigger[]
  /** Why each of its webhooks is as it is, oldest first. */
  readonly webhooks: readonly Webhook[]
}

export function whyPayment(payment: Payment, facts: PaymentFacts): Why {
  const { id } = payment.sortKey
  const reason = paymentReason(payment, facts)
  const told = tellPayment(reason, { id, method: facts.method })
  const commands = told.commands.filter(
    ([noun, verb = '']) => noun !== 'payments' || verb === 'choose' || accepts(facts.triggers, verb),
  )
  const sentence = [told.sentence, ...unheard(facts.webhooks)].join(' ')
  return answer({ id, kind: 'payment', status: statusOf(payment) }, { ...told, sentence, commands }, facts, [
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
    ...webhookCauses(facts.webhooks),
  ])
}

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
    if (payment.cancelled) return { is: 'cancelled', status: outcome, ...ending }
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
      return {
        sentence: `It was cancelled: ${cancelledBy(reason)}. ${shownAs(reason.status)}`,
        commands: endCommands(id, by),
      }
    }
  }
}

const cancelledBy = (ending: Ending) =>
  ending.how === 'cancellation' ? 'the merchant asked for it, and the provider confirmed' : endWords(ending)

/** There is no status of its own for a payment that was cancelled. */
const shownAs = (status: string) => `Its status is ${status}, as of every payment that is cancelled.`

/** After the end, only the check of a receipt goes on; the history says what happened. */
const endCommands = (id: string, by: (...triggers: PaymentTrigger[]) => string[][]) => [
  ['history', id],
  ...by('accept-receipt', 'reject-receipt'),
]

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

function ruleCause({ sortKey, route, script }: Payment, foreseen: ForeseenRule): Cause[] {
  if (!route) {
    const created = { what: 'it was created without a method', at: formatTimestamp(sortKey.createdAt) }
    return foreseen.is === 'rule' ? [created, { what: foreseenWords(foreseen) }] : [created]
  }
  if (script === UNSCRIPTED_PAYMENT) return [{ what: 'no rule matched when its method was chosen' }]
  return [{ what: `${ruleName(script.rule)} matched when its method was chosen` }]
}
