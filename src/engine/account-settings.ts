import type { Rejection } from '../contract/errors.ts'
import type { Context } from '../domain/decide/index.ts'
import type { Environment } from '../domain/model.ts'
import type { KeptAnswer } from '../domain/world.ts'
import type { RealTime } from './real-time.ts'

/** What became of a command. `seq` is the entry that must be safe before anyone is told. */
export type Outcome =
  | { readonly id: string; readonly seq: number }
  | { readonly refused: Rejection; readonly seq: number }
  | { readonly replay: KeptAnswer; readonly seq: number }

export interface AccountSettings {
  readonly id: string
  readonly environment: Environment
  readonly seed: string
  readonly time: RealTime
  /** What of the context comes from outside the account, as it is now. */
  readonly outerContext: () => Pick<
    Context,
    'contract' | 'merchantName' | 'checkoutModes' | 'catalogue' | 'rules'
  >
}
