import { ERROR_STATUS, renderError } from '../../../src/contract/errors.ts'
import { LIMITS } from '../../../src/contract/limits.ts'
import type { Command } from '../../../src/domain/commands.ts'
import type { Outcome } from '../../../src/engine/account/account.ts'
import { CONTRACT, type Machine } from './machine.ts'
import { must } from './must.ts'

export type KeyedCommand = Extract<Command, { idempotency?: unknown }>
interface Kept {
  readonly fingerprint: string
  readonly text: string
  readonly at: number
}

/** The answers that the gateway should remember for idempotency keys, stored independently of the gateway. */
export class AnswersKept {
  readonly commands: KeyedCommand[] = []
  readonly #byScope = new Map<string, Kept>()

  expected({ idempotency: key }: KeyedCommand, now: number): Kept | 'conflict' | undefined {
    const kept = key && this.#byScope.get(key.scope)
    if (!kept || now - kept.at >= LIMITS.idempotencyWindowMs) return undefined
    return kept.fingerprint === key?.fingerprint ? kept : 'conflict'
  }

  note(command: KeyedCommand, outcome: Outcome, machine: Machine, now: number): void {
    const { idempotency: key } = command
    if (!key) return
    this.commands.push(command)
    if (!keepsAnswer(outcome)) return
    this.#byScope.set(key.scope, {
      fingerprint: key.fingerprint,
      text: answerText(machine, outcome, key),
      at: now,
    })
  }
}

export const keepsAnswer = (outcome: Outcome) =>
  'id' in outcome || ('refused' in outcome && ERROR_STATUS[outcome.refused.code] === 422)

/** The text of an answer, with its status if it is a refusal. */
export function answerText(machine: Machine, outcome: Outcome, key: { requestId: string }): string {
  const error = (rejection: Parameters<typeof renderError>[1], requestId: string) => {
    const { status, body } = renderError(CONTRACT, rejection, requestId)
    return `${status} ${body}`
  }
  if ('refused' in outcome) return error(outcome.refused, key.requestId)
  if ('replay' in outcome) {
    const { answer } = outcome.replay
    if ('payment' in answer) return machine.rendering.payment(answer.payment)
    must('code' in answer, 'a merchant only makes payments')
    const { requestId, ...rejection } = answer
    return error(rejection, requestId)
  }
  const payment = machine.world.payments.get(outcome.id)
  must(payment !== undefined, 'a command that was carried out leaves its record')
  return machine.rendering.payment(payment)
}
