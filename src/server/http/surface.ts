import type { Reply } from './reply.ts'
import type { Request } from './request.ts'
import type { Routes } from './routes.ts'

/** A part of the server with its own authentication. */
export interface Surface {
  readonly routes: Routes
  /**
   * Throws a refusal if the caller has no access. It is also called for unknown paths. Returns what to wait for if the
   * account is not open yet.
   */
  enter(request: Request, reply: Reply): Promise<void> | undefined
  /** Work to finish before the handler runs. If it replies, the handler does not run. */
  prepare?(request: Request, reply: Reply): Promise<Reply | undefined> | undefined
  /** Called before the response is sent. */
  finish?(request: Request, reply: Reply): Promise<void> | undefined
  /** The refusal for an unknown path. */
  missing(request: Request, reply: Reply): Error
}
