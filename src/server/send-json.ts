import type { AccountRuntime } from '../engine/account-runtime.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'

export const JSON_UTF8 = 'application/json; charset=utf-8'

export function sendJson(reply: Reply, status: number, text: string): Reply {
  return reply.code(status).header('content-type', JSON_UTF8).send(text)
}

/** The current account of the request. A request may have to wait, so get the account each time you need it. */
export function runtimeOf({ runtime }: Request): AccountRuntime {
  if (!runtime) throw new Error('a request without an account got past authentication')
  runtime.account.catchUp()
  return runtime
}
