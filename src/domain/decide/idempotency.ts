import { ERROR_STATUS, rejection } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { IdempotencyKey } from '../commands.ts'
import type { DomainEvent, EventOf, KeptRefusal } from '../events.ts'
import type { KeptAnswer, World } from '../world.ts'
import type { Context, Decision } from './decision.ts'

/**
 * A known key gets its stored answer, a known key with a different request is a conflict, and a new key stores its
 * answer: a success as the record at that time, and a 422 with its message if the contract stores refusals. Nothing
 * else is stored, so a caller can correct an invalid or forbidden request and send it again. Checks whose result can
 * change between two requests belong in `decideAfresh`.
 */
export function once(
  world: World,
  { at, contract }: Context,
  key: IdempotencyKey | undefined,
  kind: 'payment' | 'payout',
  decideAfresh: () => Decision,
): Decision {
  if (!key) return decideAfresh()
  const keepsRefusals = contract['idempotency.refusals'] === 'keep'
  const kept = world.kept.get(key.scope)
  const isInForce = kept && at - kept.at < LIMITS.idempotencyWindowMs
  if (isInForce && (keepsRefusals || !('code' in kept.answer))) return repeat(kept, key)
  const decision = decideAfresh()
  if ('replay' in decision) return decision
  if ('events' in decision) {
    return {
      ...decision,
      events: [
        ...decision.events,
        keep(key, kind === 'payment' ? { payment: decision.id } : { payout: decision.id }),
      ],
    }
  }
  const { refused } = decision
  if (ERROR_STATUS[refused.code] !== 422 || !keepsRefusals) return decision
  const refusal: KeptRefusal = { ...refused, requestId: key.requestId }
  return { refused, kept: keep(key, refusal) }
}

function repeat(kept: KeptAnswer, key: IdempotencyKey): Decision {
  if (kept.fingerprint === key.fingerprint) return { replay: kept }
  const message = 'This Idempotency-Key was used with a different request'
  return { refused: rejection('idempotency_conflict', message, [{ field: 'Idempotency-Key', message }]) }
}

const keep = (
  { scope, fingerprint }: IdempotencyKey,
  answer: EventOf<'AnswerKept'>['answer'],
): DomainEvent => ({
  type: 'AnswerKept',
  scope,
  fingerprint,
  answer,
})
