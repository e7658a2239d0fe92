import type { Contract } from '../../contract/decisions.ts'
import { type Rejection, rejection } from '../../contract/errors.ts'
import type { CheckoutMode, Environment } from '../../contract/statuses.ts'
import type { Catalogue } from '../catalogue.ts'
import type { DomainEvent } from '../events.ts'
import type { WebhookEvent } from '../model.ts'
import type { Rule } from '../rules/rule.ts'
import type { KeptAnswer } from '../world.ts'

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
