import type { PayoutTrigger } from '../../contract/statuses.ts'
import { later } from '../../contract/timestamps.ts'
import type { CommandOf, NewPayout } from '../commands.ts'
import type { DomainEvent, EventOf } from '../events.ts'
import { allows, PAYOUT_MOVES } from '../lifecycle.ts'
import type { Failure, Payout } from '../model.ts'
import { payoutFacts } from '../rules/condition.ts'
import { consult } from '../rules/consult.ts'
import { moveTo, type PayoutScript, UNSCRIPTED_PAYOUT } from '../script.ts'
import { type PayoutTimer, payoutTimer } from '../timers.ts'
import type { World } from '../world.ts'
import { type Context, type Decision, happens, member, notFound, once, refuse } from './decision.ts'
import { emit } from './emit.ts'

export const createPayout = (
  world: World,
  { payout, idempotency }: CommandOf<'CreatePayout'>,
  context: Context,
): Decision => once(world, context, idempotency, 'payout', () => create(world, payout, context))

function create(world: World, payout: NewPayout, context: Context): Decision {
  const id = context.newId('po')
  const { amount, currency, country, merchantReference, status } = payout
  const { bankCode, holderName, accountNumber } = payout.recipient
  const facts = payoutFacts(
    { amount, currency, country, merchantReference, recipient: { bankCode, holderName } },
    context.environment,
  )
  const { rule, events: counted } = consult(world, context.rules, facts)
  const script = rule?.payout ?? UNSCRIPTED_PAYOUT
  const created: Required<EventOf<'PayoutCreated'>> = {
    type: 'PayoutCreated',
    payout: id,
    amount,
    currency,
    country,
    merchantReference,
    // The full number is not stored, so nothing can return it.
    recipient: { bankCode, holderName, accountLast4: accountNumber.replace(/\D/g, '').slice(-4) },
    status,
    ...member('script', rule && script),
    ...member('rule', rule?.data),
    ...member('createdAt', payout.createdAt ?? undefined),
  }
  return happens(id, [...counted, created, ...nextStep(id, status, script, context)])
}

/** The next scripted change of a payout in this state. */
function nextStep(
  payout: string,
  status: Payout['status'],
  script: PayoutScript,
  { at }: Context,
): DomainEvent[] {
  const movesAfter = (
    kind: PayoutTimer,
    afterMs: number,
    trigger: PayoutTrigger,
    failure?: Partial<Failure>,
  ): DomainEvent => ({
    type: 'TimerSet',
    timer: payoutTimer(payout, kind),
    dueAt: later(at, afterMs),
    command: { type: 'MovePayout', payout, trigger, ...(failure ? { failure } : {}) },
  })
  if (status === 'requires_approval' && script.approval !== 'manual')
    return [movesAfter('approve', script.approval.afterMs, 'approve')]
  if (status === 'processing' && script.outcome !== 'manual') {
    const { trigger, failure } = moveTo(script.outcome)
    return [movesAfter('outcome', script.outcome.afterMs, trigger, failure)]
  }
  return []
}

export function movePayout(
  world: World,
  { payout: id, trigger, reason, failure = {} }: CommandOf<'MovePayout'>,
  context: Context,
): Decision {
  const payout = world.payouts.get(id)
  if (!payout) return notFound('payout intent')
  if (!allows(PAYOUT_MOVES[trigger], payout.status)) {
    const from = PAYOUT_MOVES[trigger].from.join(' or ')
    return refuse(
      'invalid_state',
      `${trigger} needs a payout intent that is ${from}; this one is ${payout.status}`,
    )
  }
  const subject = { payout: id }
  switch (trigger) {
    case 'approve':
      return happens(id, [
        { type: 'PayoutApproved', payout: id },
        ...nextStep(id, 'processing', payout.script, context),
        ...emit(world, context, 'payout.updated', subject),
      ])
    case 'cancel':
      return happens(id, [
        { type: 'PayoutCancelled', payout: id, reason: reason ?? null },
        ...emit(world, context, 'payout.cancelled', subject),
      ])
    case 'succeed':
      return happens(id, [
        { type: 'PayoutSucceeded', payout: id },
        ...emit(world, context, 'payout.succeeded', subject),
      ])
    case 'fail': {
      const { code = 'payout_failed', message = 'The payout failed' } = failure
      return happens(id, [
        { type: 'PayoutFailed', payout: id, failure: { code, message } },
        ...emit(world, context, 'payout.failed', subject),
      ])
    }
  }
}
