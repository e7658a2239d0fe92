import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import type { ServedAccount } from '../../engine/account/served-accounts.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'
import type { Routes } from './routes.ts'

export const SURFACES = ['merchant', 'pages', 'control'] as const
export type SurfaceName = (typeof SURFACES)[number]

/** A part of the server with its own authentication. `App` calls these in the order of a request's life. */
export interface Surface {
  readonly name: SurfaceName
  readonly routes: Routes
  /** Whether the call is answered before the list of merchants was read. */
  isAboutStart?(request: Request): boolean
  /** Whether its caller has access, and may take longer than others to send the request. */
  maySendLong?(request: Request): boolean
  /**
   * The account that a call is about, if its caller has access to it. The process that holds it answers the call. Null
   * if the newest list of merchants must be read first, because another process may have changed it.
   */
  accountOf(request: Request): string | null | undefined
  /** Whether the call may be carried out twice, with the same effect and answer as once. */
  isRepeatable(request: Request): boolean
  /**
   * Throws a refusal if the caller has no access. It is also called for unknown paths. Returns the account that the call
   * is about; it is opened and settled before the handler sees it.
   */
  authenticate(request: Request, reply: Reply): ServedAccount | undefined
  /** Called with the account once it is open. */
  assign?(request: Request, runtime: AccountRuntime): void
  /** The refusal for an unknown path. */
  missing(request: Request, reply: Reply): Error
  readonly faults?: Faults
}

/** What goes wrong with calls because somebody asked for it. */
interface Faults {
  /** Called before the handler. Resolves with true if the call was answered, so that the handler must not run. */
  before(request: Request, reply: Reply): Promise<boolean> | undefined
  /** Called before the answer is sent. */
  after(request: Request, reply: Reply): Promise<void> | undefined
}
