import type { Answer } from '../../client/answer-type.ts'
import type { AdvanceGoal, NewPayout } from '../../client/control-client.ts'
import { layOver } from '../run/account.ts'
import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import { nothingWrong, type StepResult } from '../run/step-result.ts'
import type { AnswerExpectation } from '../schema/answers.ts'
import { answerOf } from './control-call.ts'
import { expectAnswer } from './expect-answer.ts'
import { pictureOf } from './form.ts'
import type { Handlers } from './handlers.ts'

interface Manner {
  expect?: AnswerExpectation
  failure_code?: string
  failure_message?: string
}

/** A call that the simulator may refuse. */
const ask = async (call: { answer(): Promise<Answer> }, step: Manner, scope: Scope, subject?: string) =>
  heard(await answerOf(call), step, scope, subject)

function heard(answer: Answer, step: Manner, scope: Scope, subject?: string): StepResult {
  const made = (answer.body as { id?: string } | undefined)?.id
  return {
    answer,
    subject: subject ?? made,
    value: answer.body,
    mismatches: expectAnswer(answer, step.expect, scope),
  }
}

const failureOf = ({ failure_code, failure_message }: Manner) => ({
  ...(failure_code === undefined ? {} : { failure_code }),
  ...(failure_message === undefined ? {} : { failure_message }),
})

async function usedSoFar({ simulated }: Stage, kind: 'rules' | 'faults'): Promise<readonly number[]> {
  return (await simulated.control[kind].get()).used
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
    const goal: AdvanceGoal = advance === 'idle' ? { until: 'idle' } : advance
    return ask({ answer: () => stage.advance(goal) }, {}, scope)
  },
  trigger: (step, { simulated }, scope) =>
    ask(
      simulated.control.payments.trigger(step.payment, step.trigger, failureOf(step)),
      step,
      scope,
      step.payment,
    ),
  'create payout': (step, { simulated }, scope) =>
    // What is wrong with the body, the simulator says.
    ask(simulated.control.payouts.create(step['create payout'] as unknown as NewPayout), step, scope),
  'approve payout': (step, { simulated }, scope) => {
    const id = step['approve payout']
    return ask(simulated.control.payouts.approve(id), step, scope, id)
  },
  'succeed payout': (step, { simulated }, scope) => {
    const id = step['succeed payout']
    return ask(simulated.control.payouts.succeed(id), step, scope, id)
  },
  'fail payout': (step, { simulated }, scope) => {
    const id = step['fail payout']
    return ask(simulated.control.payouts.fail(id, failureOf(step)), step, scope, id)
  },
  'upload asset': async (step, stage, scope) => {
    const { bytes, fileName } = await pictureOf(step, stage)
    const options = { kind: step['upload asset'], filename: fileName }
    return ask(stage.simulated.control.assets.upload(bytes, options), step, scope)
  },
  redeliver: (step, { simulated }, scope) => ask(simulated.control.redeliver(step.redeliver), step, scope),
  'set health': async (step, { simulated }) => {
    for (const [provider, healthy] of Object.entries(step['set health']))
      await simulated.control.catalogue.setHealth(provider, healthy)
    return nothingWrong
  },
  'set policy': async (step, { simulated }) => {
    await simulated.simulator.merchants.change(simulated.merchant, step['set policy'])
    return nothingWrong
  },
  'set catalogue': async (step, { simulated }) => {
    await layOver(simulated.control, step['set catalogue'])
    return nothingWrong
  },
  'set rules': async (step, stage, _, path) => {
    const rules = step['set rules']
    stage.tracker.replace('rules', await usedSoFar(stage, 'rules'), [...path, 'set rules'], rules)
    await stage.simulated.control.rules.replace(rules)
    return nothingWrong
  },
  'add rules': async (step, stage, _, path) => {
    const rules = step['add rules']
    stage.tracker.addRules([...path, 'add rules'], rules)
    await stage.simulated.control.rules.prepend(rules)
    return nothingWrong
  },
  'set faults': async (step, stage, _, path) => {
    const faults = step['set faults']
    stage.tracker.replace('faults', await usedSoFar(stage, 'faults'), [...path, 'set faults'], faults)
    await stage.simulated.control.faults.replace(faults)
    return nothingWrong
  },
  'set clock': async (step, stage) => {
    const { now, mode } = await stage.simulated.control.clock.set(step['set clock'])
    stage.arriveAt(now)
    stage.virtual = mode === 'virtual'
    return nothingWrong
  },
  receiver: async ({ receiver }, stage) => {
    stage.simulated.inbox.behave(receiver)
    return nothingWrong
  },
}
