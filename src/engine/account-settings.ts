import type { Rejection } from '../contract/errors.ts'
import type { Context } from '../domain/decide/index.ts'
import type { Environment } from '../domain/model.ts'
import type { KeptAnswer } from '../domain/world.ts'
import type { RealTime } from './real-time.ts'

/** The result of a command. `seq` is the entry that must be safe on disk before the caller gets it. */
export type Outcome =
  | { readonly id: string; readonly seq: number }
  | { readonly refused: Rejection; readonly seq: number }
  | { readonly replay: KeptAnswer; readonly seq: number }

export interface AccountSettings {
  readonly id: string
  readonly environment: Environment
  /** Ids and random choices follow from it. An export has it, and an import replaces it. */
  readonly seed: string
  /** Webhook secrets and signatures follow from it. It stays in the store. */
  readonly secret: () => string
  readonly time: RealTime
  /** The current part of the context that comes from outside the account. */
  readonly outerContext: () => Pick<
    Context,
    'contract' | 'merchantName' | 'checkoutModes' | 'catalogue' | 'rules' | 'webhookBody'
  >
}

/** Written out, because spreading these objects took a sixth of the time of a decision. */
export function contextOf(
  { environment, outerContext }: AccountSettings,
  { newId, newSecret, chance }: Pick<Context, 'newId' | 'newSecret' | 'chance'>,
  at: number,
): Context {
  const { contract, catalogue, rules, merchantName, checkoutModes, webhookBody } = outerContext()
  return {
    at,
    environment,
    contract,
    catalogue,
    rules,
    merchantName,
    checkoutModes,
    webhookBody,
    newId,
    newSecret,
    chance,
  }
}
