import type { Catalogue } from '../../domain/catalogue.ts'
import type { Rule } from '../../domain/rules/rule.ts'
import type { Checkpoints } from '../checkpoint/checkpoints.ts'
import type { ImageStore } from '../store/image-store.ts'
import type { TimeTravel } from '../time/time-travel.ts'
import type { Courier } from '../webhooks/courier.ts'
import type { Account } from './account.ts'
import type { Rendering } from './rendering.ts'

/** An account with everything that serves it. Code that answers a request holds only a runtime. */
export interface AccountRuntime {
  readonly account: Account
  readonly courier: Courier
  readonly images: ImageStore
  /** Undefined if its journal is not kept. */
  readonly checkpoints: Checkpoints | undefined
  readonly rendering: Rendering
  readonly time: TimeTravel
  readonly merchantId: string
  /** The checkout modes that the merchant's Team policy allows now. */
  readonly checkoutModes: () => readonly ('hosted' | 'merchant')[]
  readonly merchantName: () => string
  /** The catalogue in force for an account without its own. */
  readonly catalogue: Catalogue
  /** The rules in force for an account without its own. */
  readonly rules: readonly Rule[]
  /** Set when its merchant is removed, because a running request may still hold the runtime. */
  removed: boolean
  /** Starts timers and webhooks. The server must know its own address, because webhooks contain it. */
  begin(): void
}
