import type { Reply } from './reply.ts'
import type { Request } from './request.ts'
import type { Routes } from './routes.ts'

/** A part of the server with rules of its own about who may come in. */
export interface Surface {
  readonly routes: Routes
  /** Throws a refusal for whoever may not. Called for paths that do not exist, too. */
  enter(request: Request, reply: Reply): void
  /** What has to be over before the handler runs; a reply that it sends stands. */
  prepare?(request: Request, reply: Reply): Promise<Reply | undefined> | undefined
  /** What has a say in the answer before it leaves. */
  finish?(request: Request, reply: Reply): Promise<void> | undefined
  /** The refusal for a path that is not there. */
  missing(request: Request, reply: Reply): Error
}
