import type { Contract } from '../../contract/decisions.ts'
import { ERROR_STATUS, type Rejection, rejection } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { CheckoutMode, Environment } from '../../contract/statuses.ts'
import type { Catalogue } from '../catalogue.ts'
import type { IdempotencyKey } from '../commands.ts'
import type { DomainEvent, EventOf, KeptRefusal } from '../events.ts'
import type { WebhookEvent } from '../model.ts'
import type { Rule } from '../rules/rule.ts'
import type { KeptAnswer, World } from '../world.ts'

/**
 * Everything that a decision may use besides the world and the command: time, random numbers and the script.
 */
export interface Context {
  readonly at: number
  readonly contract: Contract
  readonly environment: Environment
  readonly merchantName: string
  readonly checkoutModes: readonly CheckoutMode[]
  /** The server's catalogue, for accounts without their own. */
  readonly catalogue: Catalogue
  /** The server's rules, for accounts without their own. */
  readonly rules: readonly Rule[]
  readonly newId: (prefix: string) => string
  readonly newSecret: () => string
  /** The body of a webhook, as the server would send it now. */
  readonly webhookBody: (event: WebhookEvent) => string
  /** The next random number in [0, 1). */
  readonly chance: () => number
}

export type Decision =
  /** The events, and the id of the record that they concern. */
  | { readonly events: readonly DomainEvent[]; readonly id: string }
  /** Nothing changes, but the refusal may be stored with its key. */
  | { readonly refused: Rejection; readonly kept?: DomainEvent }
  /** The stored answer to an earlier request. */
  | { readonly replay: KeptAnswer }

/**
 * A member of an event, which is left out if it has no value. The type of the event has every member, so the compiler
 * reports an event that forgets one.
 */
export const member = <M extends string, V>(name: M, value: V | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Record<M, V>

/** The same for an object that is written out, which is faster: JSON leaves out a member that has no value. */
export const ifAny = <V>(value: V | undefined) => value as V

export const happens = (id: string, events: readonly DomainEvent[]): Decision => ({ events, id })
export const refuse = (...reason: Parameters<typeof rejection>): Decision => ({
  refused: rejection(...reason),
})
export const notFound = (what: string): Decision => refuse('not_found', `No such ${what}`)

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
