import type { Payment } from '../../../../src/domain/model.ts'
import type { Timer } from '../../../../src/domain/timers.ts'
import type { Machine, Watch } from '../machine.ts'
import { must } from '../must.ts'

/** Checks that each timer belongs to a record in a state in which the timer can still change it. */
export class TimersLive implements Watch {
  step({ world, account }: Machine): void {
    const timers = [...world.timers.items()].map(({ record }) => record)
    must(timers.length === world.timers.size, 'timers are counted')
    for (const [at, timer] of timers.entries()) {
      must(timer.dueAt > account.now, 'nothing that is due is left', timer)
      must(timer.dueAt >= (timers[at - 1]?.dueAt ?? 0), 'timers stand in the order they are due', timers)
      must(belongs(world, timer), 'timers belong to live records', timer)
    }
    for (const payment of world.payments.values())
      if (payment.outcome === null) hasItsTimers(world, account.now, payment)
  }
}

function belongs(world: Machine['world'], { id }: Timer): boolean {
  const [record = '', kind = ''] = id.split(':')
  const payment = world.payments.get(record)
  // The verdict on a receipt arrives even if its payment has ended.
  if (payment)
    return (payment.outcome === null || kind === 'receipt') && PAYMENT_KINDS[kind]?.(payment) === true
  const status = world.payouts.get(record)?.status
  if (status) return status === (kind === 'approve' ? 'requires_approval' : 'processing')
  return kind === 'attempt' && world.deliveries.get(record)?.status === 'pending'
}

const PAYMENT_KINDS: Readonly<Record<string, (payment: Payment) => boolean>> = {
  'present-action': ({ action }) => action === null,
  'withdraw-action': ({ action }) => action !== null,
  receipt: ({ receipt }) => receipt?.status === 'processing',
  cancel: ({ cancelRequestedAt }) => cancelRequestedAt !== null,
  outcome: ({ route }) => route !== null,
  expire: () => true,
}

function hasItsTimers({ timers }: Machine['world'], now: number, payment: Payment): void {
  const { id } = payment.sortKey
  const { action, expiresAt } = payment
  must(timers.get(`${id}:expire`)?.dueAt === expiresAt, 'an open intent expires when it says', {
    id,
    expiresAt,
  })
  if (!action) return
  const ends = timers.get(`${id}:withdraw-action`)?.dueAt
  if (ends === undefined && action.expiresAt < expiresAt)
    return must(
      action.expiresAt <= now && isHeld(payment),
      'an action outlives its time only while something holds it',
      payment,
    )
  must(
    (ends ?? expiresAt) === action.expiresAt && action.expiresAt <= expiresAt,
    'an action ends when it says',
    {
      id,
      action,
      ends,
      expiresAt,
    },
  )
}

const isHeld = ({ cancelRequestedAt, receipt }: Payment) =>
  cancelRequestedAt !== null || receipt?.status === 'processing' || receipt?.status === 'rejected'
