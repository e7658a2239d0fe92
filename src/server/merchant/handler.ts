import type { Contract } from '../../contract/decisions.ts'
import type { Operation } from '../../contract/operations.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'

/** One request of one operation, past authentication. */
export interface Call {
  readonly request: Request
  readonly reply: Reply
  readonly operation: Operation
  readonly contract: Contract
}

export type Handler = (call: Call) => Reply | Promise<Reply>

/** The id in the path, as the record would have it. */
export const idIn = (request: Request): string => request.params.id ?? ''
