import type { SurfaceName } from '../cluster/handed-on.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'
import type { Handle, Routes } from './routes.ts'

/** A part of the server with its own authentication. */
export interface Surface {
  readonly name: SurfaceName
  readonly routes: Routes
  /**
   * Throws a refusal if the caller has no access. It is also called for unknown paths. Returns what to wait for if the
   * account is not open yet.
   */
  enter(request: Request, reply: Reply): Promise<void> | undefined
  /**
   * The account that a call is about, if its caller has access to it. The process that holds it answers the call. Null
   * if the newest list of merchants must be read first, because another process may have changed it.
   */
  accountOf(request: Request): string | null | undefined
  /** Whether its caller has access, and may take longer than others to send it. */
  maySendLong?(request: Request): boolean
  /** Whether the call may be carried out twice, with the same effect and answer as once. */
  isRepeatable(request: Request): boolean
  /** Work to finish before the handler runs. If it replies, the handler does not run. */
  prepare?(request: Request, reply: Reply): Promise<Reply | undefined> | undefined
  /** Called before the response is sent. */
  finish?(request: Request, reply: Reply): Promise<void> | undefined
  /** The refusal for an unknown path. */
  missing(request: Request, reply: Reply): Error
}

/** The surface and the handler that answer a call. */
export interface FoundHandler {
  readonly surface: Surface
  readonly handle: Handle | undefined
  /** The account whose holder answers, where several processes serve one store. */
  account?: string
}

export type FoundAccount = FoundHandler & { readonly account: string }
