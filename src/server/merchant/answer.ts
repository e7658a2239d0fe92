import { setTimeout as wait } from 'node:timers/promises'
import { LIMITS } from '../../contract/limits.ts'
import type { Command } from '../../domain/commands.ts'
import type { Payment } from '../../domain/model.ts'
import type { KeptAnswer } from '../../domain/world.ts'
import type { Tenant } from '../../engine/tenant.ts'
import { demandAvailable } from '../carry-out.ts'
import type { Reply } from '../http/reply.ts'
import { Refusal, refuse } from '../refusal.ts'
import { sendJson, tenantOf } from '../send-json.ts'
import type { Call } from './handler.ts'

/** Carries out a merchant's command about a payment, and answers with the payment or the refusal. */
export async function answerPayment(call: Call, command: Command): Promise<Reply> {
  const { reply, operation } = call
  const tenant = tenantOf(call.request)
  await demandAvailable(tenant)
  const outcome = tenant.account.execute(command, 'merchant')
  if ('replay' in outcome) return replay(tenant, reply, operation.success.status, outcome.replay)
  // Taken now: the world may go on while the entry is on its way to the disk. No answer leaves before it is there.
  const payment = 'id' in outcome ? tenant.account.world.payments.get(outcome.id) : undefined
  await tenant.account.journal.durable(outcome.seq)
  if ('refused' in outcome) throw new Refusal(outcome.refused)
  return sendPayment(tenant, reply, operation.success.status, payment)
}

function sendPayment(tenant: Tenant, reply: Reply, status: number, payment: Payment | undefined): Reply {
  if (!payment) throw new Error('a command left no payment behind')
  return sendJson(reply, status, tenant.rendering.payment(payment))
}

/** The same answer again. While the first request is still on its way to the disk, this one waits for it. */
async function replay(tenant: Tenant, reply: Reply, status: number, kept: KeptAnswer): Promise<Reply> {
  const timeout = new AbortController()
  const late = wait(LIMITS.inFlightWaitMs, 'late', { signal: timeout.signal, ref: false }).catch(
    () => 'cancelled',
  )
  const first = await Promise.race([tenant.account.journal.durable(kept.seq), late]).finally(() =>
    timeout.abort(),
  )
  if (first === 'late')
    throw refuse(
      'idempotency_in_progress',
      'The first request with this Idempotency-Key is still being served',
    )
  const { answer } = kept
  if (!('payment' in answer)) {
    const { requestId, ...rejected } = answer
    throw new Refusal(rejected, { requestId })
  }
  reply.header('idempotent-replayed', 'true')
  return sendPayment(tenant, reply, status, answer.payment)
}
