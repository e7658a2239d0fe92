import { setTimeout as wait } from 'node:timers/promises'
import { LIMITS } from '../../contract/limits.ts'
import type { Command } from '../../domain/commands.ts'
import type { Payment } from '../../domain/model.ts'
import type { KeptAnswer } from '../../domain/world.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import { demandAvailable, untilSafe } from '../carry-out.ts'
import type { Reply } from '../http/reply.ts'
import { RefusalError, refuse } from '../refusal.ts'
import { runtimeOf, sendJson } from '../send-json.ts'
import type { Call } from './handler.ts'

/** Executes a merchant's command about a payment, and responds with the payment or the refusal. */
export async function answerPayment(call: Call, command: Command): Promise<Reply> {
  const { reply, operation } = call
  const runtime = runtimeOf(call.request)
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

/** The stored answer. If the first request is not on disk yet, this one waits for it. */
async function replay(
  runtime: AccountRuntime,
  reply: Reply,
  status: number,
  kept: KeptAnswer,
): Promise<Reply> {
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
  if (!('payment' in answer)) {
    const { requestId, ...rejected } = answer
    throw new RefusalError(rejected, { requestId })
  }
  reply.header('idempotent-replayed', 'true')
  return sendPayment(runtime, reply, status, answer.payment)
}
