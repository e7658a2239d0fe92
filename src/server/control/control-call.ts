import type { TSchema } from '@sinclair/typebox'
import type { ControlAnswer, ControlCall } from '../../contract/control/operations.ts'
import type { FailureReason } from '../../contract/control/requests.ts'
import { parseDuration } from '../../contract/durations.ts'
import { validator } from '../../contract/validation.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import type { Gateway } from '../../engine/gateway.ts'
import type { WebhookHosts } from '../../engine/webhooks/webhook-hosts.ts'
import type { WebhookAnswer } from '../../engine/webhooks/webhook-sender.ts'
import type { Forwarder } from '../cluster/forwarder.ts'
import type { SignInLinks } from '../dashboard/session.ts'
import type { FaultBoxes } from '../faults/wire-faults.ts'
import type { EventStreams } from '../http/event-stream.ts'
import { readJson, readOptionalJson } from '../http/read-body.ts'
import { type Reply, sendJson } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Routes } from '../http/routes.ts'
import { demandNoProblems, notFound, refuseProblems } from '../refusal.ts'
import type { RequestLog } from '../requests/request-log.ts'
import type { UnusedMerchants } from '../unused-merchants.ts'

/** Common parts of all calls of the control surface. */

export const param = (request: Request, name: string): string => request.params[name] ?? ''

/** A requested record. */
export function found<T>(what: string, record: T | undefined): T {
  if (record === undefined) throw notFound(what)
  return record
}

/** A reader for JSON bodies of one shape. */
export function bodyReader<T>(
  schema: TSchema,
  { optional = false, cap }: { optional?: boolean; cap?: number } = {},
): (request: Request) => Promise<T> {
  const check = validator(schema)
  return async ({ exchange }) => {
    const body = optional ? await readOptionalJson(exchange, { bare: true }) : await readJson(exchange, cap)
    demandNoProblems(check(body))
    return body as T
  }
}

/** The reason for a failure, from the body of the request. */
export const failureIn = ({ failure_code: code, failure_message: message }: FailureReason) => ({
  ...(code === undefined ? {} : { code }),
  ...(message === undefined ? {} : { message }),
})

export function durationIn(field: string, text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined)
    throw refuseProblems([{ field, message: `is not a duration: ${text} (write 5s, 1h30m or PT5M)` }])
  return ms
}

/** What a handler gets: `answer` accepts only the answers in the contract; use `reply` for other content than JSON. */
export interface ReceivedCall<Answer extends readonly unknown[] = [status: number, body?: unknown]> {
  readonly request: Request
  readonly answer: (...answer: Answer) => Reply
  readonly reply: Reply
}

/** The account that the path of a call names. */
export interface OfAccount {
  readonly runtime: AccountRuntime
}

export type ControlHandlers = {
  readonly [Call in ControlCall]: (
    call: ReceivedCall<ControlAnswer<Call>> &
      (Call extends `${string} /accounts/:account/${string}` ? OfAccount : unknown),
  ) => Reply | Promise<Reply>
}

/** Makes a handler for each of several calls that differ only in the last part of their path. */
export function handlersOf<P extends string, T extends string>(
  path: P,
  ends: readonly T[],
  handler: (end: T) => ControlHandlers[ControlCall & `${P}/${T}`],
) {
  return Object.fromEntries(ends.map(end => [`${path}/${end}`, handler(end)])) as {
    readonly [K in `${P}/${T}` & ControlCall]: ControlHandlers[K]
  }
}

/** Adds a route for each handler. Each is registered under its method and path. */
export function addRoutes(routes: Routes, gateway: Gateway, handlers: ControlHandlers): void {
  type Handle = (call: ReceivedCall & Partial<OfAccount>) => Reply | Promise<Reply>
  for (const [call, handle] of Object.entries(handlers as Readonly<Record<string, Handle>>)) {
    const [method = '', path = ''] = call.split(' ')
    routes.add(method, path, (request, reply) => {
      const answer = (status: number, body?: unknown) =>
        body === undefined ? reply.code(status) : sendJson(reply, status, JSON.stringify(body))
      const { account } = request.params
      if (account === undefined) return handle({ request, answer, reply })
      const runtime = gateway.runtime(account)
      if (!runtime) throw notFound('account')
      return handle({ runtime, request, answer, reply })
    })
  }
}

/** What the calls of the control surface use. */
export interface ControlSettings {
  readonly gateway: Gateway
  readonly requests: RequestLog
  readonly streams: EventStreams
  readonly faultBoxes: FaultBoxes
  readonly controlToken: string
  readonly signInLinks: SignInLinks
  readonly webhookHosts: WebhookHosts
  /** Opens a page of an application, as the payer's browser does. */
  readonly visit: (url: string) => Promise<Pick<WebhookAnswer, 'status' | 'location'>>
  /** Present if merchants that nobody calls are removed. */
  readonly unused?: UnusedMerchants | undefined
  /** Removes a merchant with everything that is kept of it. */
  readonly removeMerchant: (id: string) => Promise<void>
  /** The URL of the merchant API for clients on this machine. */
  readonly merchantUrl: () => string
  /** What links begin with behind a balancer or a tunnel. */
  readonly publicUrl?: string | undefined
  /** Where several processes serve one store. */
  readonly forwarder?: Pick<Forwarder, 'holders'> | undefined
  /** The connections of the listener that serves these calls. */
  readonly surfaces: { readonly merchant: boolean }
}
