import type { Contract } from '../../contract/decisions.ts'
import type { Operation } from '../../contract/operations.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'

/** A request of one operation, after authentication. */
export interface Call {
  readonly request: Request
  readonly reply: Reply
  readonly operation: Operation
  readonly contract: Contract
}

export type Handler = (call: Call) => Reply | Promise<Reply>

/** The id in the path, decoded. */
export const idIn = (request: Request): string => request.params.id ?? ''
