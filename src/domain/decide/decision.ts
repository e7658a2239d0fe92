import type { Contract } from '../../contract/decisions.ts'
import { type Rejection, rejection } from '../../contract/errors.ts'
import type { Catalogue } from '../catalogue.ts'
import type { DomainEvent } from '../events.ts'
import type { CheckoutMode, Environment } from '../model.ts'
import type { Rule } from '../rules/rule.ts'
import type { KeptAnswer } from '../world.ts'

/** All that a decision may know beyond the world and the command: time, chance and the script are given. */
export interface Context {
  readonly at: number
  readonly contract: Contract
  readonly environment: Environment
  readonly merchantName: string
  readonly checkoutModes: readonly CheckoutMode[]
  /** The server's catalogue, where the account has none of its own. */
  readonly catalogue: Catalogue
  /** The server's rules, where the account has none of its own. */
  readonly rules: readonly Rule[]
  readonly newId: (prefix: string) => string
  readonly newSecret: () => string
  /** The next number of chance, in [0, 1). */
  readonly chance: () => number
}

export type Decision =
  /** What happens, and the id of the record it is about. */
  | { readonly events: readonly DomainEvent[]; readonly id: string }
  /** Nothing changes, but that a key may keep the refusal. */
  | { readonly refused: Rejection; readonly kept?: DomainEvent }
  /** The answer was given before. */
  | { readonly replay: KeptAnswer }

export const happens = (id: string, events: readonly DomainEvent[]): Decision => ({ events, id })
export const refuse = (...reason: Parameters<typeof rejection>): Decision => ({
  refused: rejection(...reason),
})
export const notFound = (what: string): Decision => refuse('not_found', `No such ${what}`)
