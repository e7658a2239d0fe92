import { setTimeout as wait } from 'node:timers/promises'
import type { TSchema } from '@sinclair/typebox'
import type { Contract } from '../../contract/decisions.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operations.ts'
import type { Command, IdempotencyKey } from '../../domain/commands.ts'
import type { KeptRefusal } from '../../domain/events.ts'
import type { Payment } from '../../domain/model.ts'
import type { KeptAnswer } from '../../domain/world.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { demandAvailable, untilSafe } from '../carry-out.ts'
import type { JsonObject } from '../http/read-body.ts'
import { type Reply, sendJson } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { RefusalError, refuse } from '../refusal.ts'

/** Executes a merchant's command about a payment, and responds with the payment or the refusal. */
export async function answerPayment(call: Call, command: Command): Promise<Reply> {
  const { reply, operation, runtime } = call
  const waiting = demandAvailable(runtime)
  if (waiting) await waiting
  const outcome = runtime.account.execute(command, 'merchant')
  if ('replay' in outcome) return replay(runtime, reply, operation.success.status, outcome.replay)
  // Create the text now, because the world may change before the entry is on disk. No response is sent before that.
  const payment = 'id' in outcome ? runtime.account.world.payments.get(outcome.id) : undefined
  await untilSafe(runtime, outcome.seq)
  if ('refused' in outcome) throw new RefusalError(outcome.refused)
  return sendPayment(runtime, reply, operation.success.status, payment)
}

function sendPayment(
  runtime: AccountRuntime,
  reply: Reply,
  status: number,
  payment: Payment | undefined,
): Reply {
  if (!payment) throw new Error('a command returned no payment')
  return sendJson(reply, status, runtime.rendering.payment(payment))
}

async function replay(
  runtime: AccountRuntime,
  reply: Reply,
  status: number,
  kept: KeptAnswer,
): Promise<Reply> {
  const record = await keptRecord(runtime, reply, kept)
  return sendPayment(runtime, reply, status, 'payment' in record ? record.payment : undefined)
}

/** The record of a stored answer. If the first request is not on disk yet, this one waits for it. */
export async function keptRecord(
  runtime: AccountRuntime,
  reply: Reply,
  kept: KeptAnswer,
): Promise<Exclude<KeptAnswer['answer'], KeptRefusal>> {
  const timeout = new AbortController()
  const late = wait(LIMITS.inFlightWaitMs, 'late', { signal: timeout.signal, ref: false }).catch(
    () => 'cancelled',
  )
  const first = await Promise.race([untilSafe(runtime, kept.seq), late]).finally(() => timeout.abort())
  if (first === 'late')
    throw refuse(
      'idempotency_in_progress',
      'The first request with this Idempotency-Key is still being processed',
    )
  const { answer } = kept
  if ('code' in answer) {
    const { requestId, ...rejected } = answer
    throw new RefusalError(rejected, { requestId })
  }
  reply.header('idempotent-replayed', 'true')
  return answer
}

/** Unknown members: refused, or named in the request log, as the contract says. */
export function unknownMembers(
  contract: Contract,
  request: Request,
  body: JsonObject,
  schema: TSchema | undefined,
): readonly FieldProblem[] {
  const known: Record<string, unknown> = schema?.properties ?? {}
  const unknown = Object.keys(body).filter(member => !Object.hasOwn(known, member))
  if (contract['strict.unknown_members'] === 'reject')
    return unknown.map(field => ({ field, message: 'is not a known member' }))
  request.ignored = [...request.ignored, ...unknown]
  return []
}

/** If the contract treats an explicit null as an absent member. */
export function readNulls(contract: Contract, body: JsonObject): JsonObject {
  if (contract['strict.nulls'] === 'reject' || !hasNull(body)) return body
  const given = Object.entries(body).filter(([, value]) => value !== null)
  return Object.fromEntries(
    given.map(([key, value]) => [key, isRecord(value) ? readNulls(contract, value) : value]),
  )
}

const hasNull = (body: JsonObject): boolean =>
  Object.values(body).some(value => value === null || (isRecord(value) && hasNull(value)))

const FIELD = 'Idempotency-Key'
const PRINTABLE = /^[\x20-\x7e]{1,255}$/

/** The key of a request, or its problem. */
export function readKey(
  request: Request,
  { required }: { required: boolean },
): { key: string | undefined; problems: readonly FieldProblem[] } {
  const given = request.headers['idempotency-key']
  // Node joins repeated headers into one value that nobody sent.
  const repeated = given !== undefined && request.repeats('idempotency-key')
  if (given === undefined)
    return { key: undefined, problems: required ? [{ field: FIELD, message: 'is required' }] : [] }
  if (repeated) return { key: undefined, problems: [{ field: FIELD, message: 'must be given once' }] }
  if (typeof given !== 'string' || !PRINTABLE.test(given))
    return {
      key: undefined,
      problems: [{ field: FIELD, message: 'must be 1 to 255 printable ASCII characters' }],
    }
  return { key: given, problems: [] }
}

/** Scoped by method and path: one intent's answer is never another's. */
export function idempotency(
  { method, address, requestId }: Request,
  key: string | undefined,
  fingerprint: () => string,
): IdempotencyKey | undefined {
  if (key === undefined) return undefined
  return { scope: `${method} ${address} ${key}`, fingerprint: fingerprint(), requestId }
}

/** A request of one operation, after authentication. */
export interface Call {
  readonly request: Request
  readonly reply: Reply
  readonly runtime: AccountRuntime
  readonly operation: Operation
  readonly contract: Contract
}

export type Handler = (call: Call) => Reply | Promise<Reply>

/** The id in the path, decoded. */
export const idIn = (request: Request): string => request.params.id ?? ''
