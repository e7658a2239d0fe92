import type { TSchema } from '@sinclair/typebox'
import { parseDuration } from '../../contract/durations.ts'
import { validator } from '../../contract/validation.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import type { Gateway } from '../../engine/gateway.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { readJson, readOptionalJson } from '../read-body.ts'
import { demandNoProblems, notFound, refuseProblems } from '../refusal.ts'
import { sendJson } from '../send-json.ts'

/** What the calls of the control surface have in common. */

export function runtimeNamed(gateway: Gateway, request: Request): AccountRuntime {
  const runtime = gateway.runtime(param(request, 'account'))
  if (!runtime) throw notFound('account')
  return runtime
}

export const param = (request: Request, name: string): string => request.params[name] ?? ''

/** A reader of JSON bodies of one shape. */
export function bodyReader<T>(
  schema: TSchema,
  { optional = false, cap }: { optional?: boolean; cap?: number } = {},
): (request: Request) => Promise<T> {
  const check = validator(schema)
  return async ({ raw }) => {
    const body = optional ? await readOptionalJson(raw, { bare: true }) : await readJson(raw, cap)
    demandNoProblems(check(body))
    return body as T
  }
}

export function durationIn(field: string, text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined)
    throw refuseProblems([{ field, message: `is not a duration: ${text} (write 5s, 1h30m or PT5M)` }])
  return ms
}

export const send = (reply: Reply, status: number, value: unknown) =>
  sendJson(reply, status, JSON.stringify(value))
export const sendNothing = (reply: Reply) => reply.code(204)
