import type { MerchantFlags } from '../../call/merchant-command.ts'
import type { Session } from '../../call/session.ts'
import type { TypedFlags } from '../../fields/equivalent-command.ts'
import type { KeyFlags } from '../../fields/idempotency-key.ts'

/** What one run of `payments create` goes by. */
export interface Creation {
  readonly flags: MerchantFlags & KeyFlags
  readonly session: Session
  readonly typed: TypedFlags
}
