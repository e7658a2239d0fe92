import type { Coming } from '../contract/control/timeline.ts'
import { formatTimestamp } from '../contract/timestamps.ts'
import { type Payment, type Payout, reasonToKeepAction } from './model.ts'
import { moveTo, type ScriptedOutcome, verdictFor } from './script.ts'
import {
  deliveryTimer,
  PAYMENT_TIMERS,
  PAYOUT_TIMERS,
  paymentTimer,
  payoutTimer,
  type Timer,
} from './timers.ts'
import type { World } from './world.ts'

const NOTHING_MORE = {
  due_at: null,
  trigger: null,
  failure: null,
  waits_for: null,
  after_ms: null,
  held_by: null,
  attempt: null,
} as const

/** What timers, the rule and webhooks will do to a record, soonest first. */
export function upcomingMoves(
  world: World,
  now: number,
  id: string,
  deliveries: readonly string[],
): Coming[] {
  const payment = world.payments.get(id)
  const payout = world.payouts.get(id)
  return [
    ...(payment ? upcomingForPayment(world, now, payment) : []),
    ...(payout ? upcomingForPayout(world, payout) : []),
    ...deliveries.flatMap(delivery => upcomingAttempt(world, delivery)),
  ].sort((a, b) => order(a) - order(b))
}

const order = ({ due_at }: Coming) => (due_at === null ? Number.POSITIVE_INFINITY : Date.parse(due_at))

function upcomingForPayment(world: World, now: number, payment: Payment): Coming[] {
  const { id } = payment.sortKey
  const timed = PAYMENT_TIMERS.flatMap(kind => {
    const timer = world.timers.get(paymentTimer(id, kind))
    if (!timer) return []
    const held_by = kind === 'withdraw-action' ? reasonToKeepAction(payment) : null
    return [{ ...NOTHING_MORE, kind, ...moveOf(timer), held_by }]
  })
  if (payment.outcome !== null) return timed
  const { action } = payment
  const isOverdue = action !== null && action.expiresAt <= now && action.expiresAt < payment.expiresAt
  const overdue: Coming[] =
    isOverdue && !timed.some(({ kind }) => kind === 'withdraw-action')
      ? [
          {
            ...NOTHING_MORE,
            kind: 'withdraw-action',
            due_at: formatTimestamp(action.expiresAt),
            trigger: 'withdraw-action',
            held_by: reasonToKeepAction(payment),
          },
        ]
      : []
  return [
    ...timed,
    ...overdue,
    ...upcomingVerdict(payment),
    ...upcomingCancellation(payment, timed),
    ...upcomingOutcome(world, payment),
  ]
}

/** The provider's verdict on a receipt that is still to be submitted. */
function upcomingVerdict({ receipt, script, action }: Payment): Coming[] {
  if (!action || !receipt || (receipt.status !== 'required' && receipt.status !== 'rejected')) return []
  const scripted = verdictFor(script, receipt.submissions + 1)
  if (!scripted || scripted.verdict === 'manual') return []
  const { verdict, afterMs: after_ms, message } = scripted
  const failure = message === null ? null : { message }
  return [
    {
      ...NOTHING_MORE,
      kind: 'receipt',
      trigger: `${verdict}-receipt`,
      failure,
      waits_for: 'receipt',
      after_ms,
    },
  ]
}

/** The answer to a cancellation that the provider leaves open. */
const upcomingCancellation = ({ cancelRequestedAt }: Payment, timed: readonly Coming[]): Coming[] =>
  cancelRequestedAt === null || timed.some(({ kind }) => kind === 'cancel')
    ? []
    : [{ ...NOTHING_MORE, kind: 'cancel', trigger: 'confirm-cancel', waits_for: 'person' }]

/** The outcome in its rule, if its timer is not set yet. */
function upcomingOutcome(
  world: World,
  { sortKey: { id }, route, receipt, script, action }: Payment,
): Coming[] {
  if (world.timers.get(paymentTimer(id, 'outcome'))) return []
  if (!route) return [{ ...NOTHING_MORE, kind: 'outcome', waits_for: 'method' }]
  if (script.outcome === 'manual') return [{ ...NOTHING_MORE, kind: 'outcome', waits_for: 'person' }]
  const beforeVerdict = receipt === null ? 'action' : 'verdict'
  const isPast = receipt === null ? action !== null : receipt.status === 'submitted'
  const waits_for = isPast ? 'person' : beforeVerdict
  return [{ ...NOTHING_MORE, kind: 'outcome', ...endOf(script.outcome), waits_for }]
}

function upcomingForPayout(world: World, { sortKey: { id }, status, script }: Payout): Coming[] {
  const timed = PAYOUT_TIMERS.flatMap(kind => {
    const timer = world.timers.get(payoutTimer(id, kind))
    return timer ? [{ ...NOTHING_MORE, kind, ...moveOf(timer) }] : []
  })
  const isOpen = status === 'requires_approval' || status === 'processing'
  if (!isOpen) return timed
  const approval: Coming[] =
    status === 'requires_approval' && script.approval === 'manual'
      ? [{ ...NOTHING_MORE, kind: 'approve', trigger: 'approve', waits_for: 'person' }]
      : []
  if (timed.some(({ kind }) => kind === 'outcome')) return timed
  const outcome: Coming =
    script.outcome === 'manual'
      ? { ...NOTHING_MORE, kind: 'outcome', waits_for: 'person' }
      : { ...NOTHING_MORE, kind: 'outcome', ...endOf(script.outcome), waits_for: 'approval' }
  return [...timed, ...approval, outcome]
}

function endOf(outcome: ScriptedOutcome) {
  const { trigger, failure } = moveTo(outcome)
  return { trigger, after_ms: outcome.afterMs, failure: outcome.status === 'failed' ? failure : null }
}

function moveOf({ dueAt, command }: Timer) {
  const due_at = formatTimestamp(dueAt)
  if (command.type !== 'MovePayment' && command.type !== 'MovePayout')
    return { due_at, trigger: null, failure: null }
  return { due_at, trigger: command.trigger, failure: command.failure ?? null }
}

function upcomingAttempt(world: World, id: string): Coming[] {
  const timer = world.timers.get(deliveryTimer(id))
  const delivery = world.deliveries.get(id)
  if (!timer || !delivery) return []
  const event_type = world.events.get(delivery.eventId)?.type ?? null
  const attempt = { delivery: id, number: delivery.attempts.length + 1, event_type, url: delivery.url }
  return [{ ...NOTHING_MORE, kind: 'attempt', due_at: formatTimestamp(timer.dueAt), attempt }]
}
