import { layOver } from '../run/account.ts'
import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import { nothingWrong, type StepResult } from '../run/step-result.ts'
import type { Answer } from '../run/wire.ts'
import type { AnswerExpectation } from '../schema/answers.ts'
import { expectAnswer } from './expect-answer.ts'
import { formOf, pictureOf } from './form.ts'
import type { Handlers } from './handlers.ts'

interface Manner {
  expect?: AnswerExpectation
  failure_code?: string
  failure_message?: string
}

/** A call that the simulator may refuse, as the state of a record may forbid it. */
async function ask(stage: Stage, path: string, body: unknown, step: Manner, scope: Scope, subject?: string) {
  return heard(await stage.simulated.control.send('POST', stage.path + path, body), step, scope, subject)
}

function heard(answer: Answer, step: Manner, scope: Scope, subject?: string): StepResult {
  const made = (answer.body as { id?: string } | undefined)?.id
  return {
    answer,
    subject: subject ?? made,
    value: answer.body,
    mismatches: expectAnswer(answer, step.expect, scope),
  }
}

const failureOf = ({ failure_code, failure_message }: Manner) => ({ failure_code, failure_message })

async function put(stage: Stage, path: string, body: unknown, method = 'PUT'): Promise<StepResult> {
  await stage.simulated.control.demand(method, stage.path + path, body)
  return nothingWrong
}

async function usedSoFar(stage: Stage, kind: 'rules' | 'faults'): Promise<number[]> {
  const { used } = await stage.simulated.control.demand<{ used: number[] }>('GET', `${stage.path}/${kind}`)
  return used
}

export const OPERATOR: Pick<
  Handlers,
  | 'advance'
  | 'trigger'
  | 'create payout'
  | 'approve payout'
  | 'succeed payout'
  | 'fail payout'
  | 'upload asset'
  | 'redeliver'
  | 'set health'
  | 'set policy'
  | 'set catalogue'
  | 'set rules'
  | 'add rules'
  | 'set faults'
  | 'set clock'
  | 'receiver'
> = {
  advance: async ({ advance }, stage, scope) => {
    const goal =
      advance === 'idle' ? { until: 'idle' } : typeof advance === 'string' ? { by: advance } : advance
    const happening = await ask(stage, '/clock/advance', goal, {}, scope)
    const { now } = (happening.answer?.body ?? {}) as { now?: string }
    if (now !== undefined) stage.arriveAt(now)
    return happening
  },
  trigger: (step, stage, scope) =>
    ask(stage, `/payments/${step.payment}/${step.trigger}`, failureOf(step), step, scope, step.payment),
  'create payout': (step, stage, scope) => ask(stage, '/payouts', step['create payout'], step, scope),
  'approve payout': (step, stage, scope) => {
    const id = step['approve payout']
    return ask(stage, `/payouts/${id}/approve`, {}, step, scope, id)
  },
  'succeed payout': (step, stage, scope) => {
    const id = step['succeed payout']
    return ask(stage, `/payouts/${id}/succeed`, {}, step, scope, id)
  },
  'fail payout': (step, stage, scope) => {
    const id = step['fail payout']
    return ask(stage, `/payouts/${id}/fail`, failureOf(step), step, scope, id)
  },
  'upload asset': async (step, stage, scope) => {
    const form = formOf(stage.nextBoundary(), { kind: step['upload asset'] }, await pictureOf(step, stage))
    return heard(await stage.simulated.control.sendForm(`${stage.path}/assets`, form), step, scope)
  },
  redeliver: (step, stage, scope) =>
    ask(stage, `/webhook-deliveries/${step.redeliver}/redeliver`, undefined, step, scope),
  'set health': async (step, stage) => {
    for (const [provider, healthy] of Object.entries(step['set health']))
      await put(stage, `/catalogue/providers/${encodeURIComponent(provider)}`, { healthy }, 'PATCH')
    return nothingWrong
  },
  'set policy': async (step, stage) => {
    const { control, merchant } = stage.simulated
    await control.demand('PATCH', `/merchants/${merchant}`, step['set policy'])
    return nothingWrong
  },
  'set catalogue': async (step, stage) => {
    await layOver(stage.simulated.control, stage.path, step['set catalogue'])
    return nothingWrong
  },
  'set rules': async (step, stage, _, path) => {
    const rules = step['set rules']
    stage.tracker.replace('rules', await usedSoFar(stage, 'rules'), [...path, 'set rules'], rules)
    return put(stage, '/rules', { rules })
  },
  'add rules': async (step, stage, _, path) => {
    const rules = step['add rules']
    stage.tracker.addRules([...path, 'add rules'], rules)
    return put(stage, '/rules', { rules }, 'POST')
  },
  'set faults': async (step, stage, _, path) => {
    const faults = step['set faults']
    stage.tracker.replace('faults', await usedSoFar(stage, 'faults'), [...path, 'set faults'], faults)
    return put(stage, '/faults', { faults })
  },
  'set clock': async (step, stage) => {
    const clock = step['set clock']
    const setting = typeof clock === 'string' ? { mode: clock } : clock
    const { control } = stage.simulated
    const { now } = await control.demand<{ now: string }>('PUT', `${stage.path}/clock`, setting)
    stage.arriveAt(now)
    stage.virtual = setting.mode === 'virtual'
    return nothingWrong
  },
  receiver: async ({ receiver }, stage) => {
    stage.simulated.inbox.behave(receiver)
    return nothingWrong
  },
}
