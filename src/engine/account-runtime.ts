import type { Catalogue } from '../domain/catalogue.ts'
import type { Rule } from '../domain/rules/rule.ts'
import type { Account } from './account.ts'
import type { Courier } from './courier.ts'
import type { ImageStore } from './image-store.ts'
import type { Rendering } from './rendering.ts'
import type { TimeTravel } from './time-travel.ts'

/** An account with all that serves it. Code that answers a request holds one of these and nothing else. */
export interface AccountRuntime {
  readonly account: Account
  readonly courier: Courier
  readonly images: ImageStore
  readonly rendering: Rendering
  readonly time: TimeTravel
  readonly merchantId: string
  /** The checkout modes that the merchant's Team policy allows now. */
  readonly checkoutModes: () => readonly ('hosted' | 'merchant')[]
  readonly merchantName: () => string
  /** The catalogue in force where the account has none of its own. */
  readonly catalogue: Catalogue
  /** The rules in force where the account has none of its own. */
  readonly rules: readonly Rule[]
  /** Set when its merchant is removed: a request under way may still hold it, and finds nothing. */
  removed: boolean
  /** Its timers run and its webhooks go out from here on. Its time is no earlier than when the server stopped. */
  begin(stoppedAt: number | undefined): void
}
