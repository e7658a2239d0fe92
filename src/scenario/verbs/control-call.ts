import type { Answer } from '../../client/answer-type.ts'
import { ControlError } from '../../client/control-error.ts'
import { matchAnswer } from '../expect/match-answer.ts'
import type { StepResult } from '../run/step-result.ts'
import type { AnswerExpectation } from '../schema/answers.ts'
import type { RunningStep } from './verb.ts'

type ControlCall = { answer(): Promise<Answer> }

/**
 * Makes a call of the control surface that may be refused, and compares the answer with the expectation of the step.
 */
export async function callControl(
  call: ControlCall,
  { step, scope }: Pick<RunningStep<string, { expect?: AnswerExpectation }>, 'step' | 'scope'>,
  subject?: string,
): Promise<StepResult> {
  const answer = await answerOrRefusal(call)
  const made = (answer.body as { id?: string } | undefined)?.id
  return {
    answer,
    subject: subject ?? made,
    value: answer.body,
    mismatches: matchAnswer(answer, step.expect, scope),
  }
}

/** The answer of a control call, even if it is a refusal, because the state of a record may forbid the change. */
export async function answerOrRefusal(call: ControlCall): Promise<Answer> {
  try {
    return await call.answer()
  } catch (error) {
    if (error instanceof ControlError) return error.answer
    throw error
  }
}

interface Failure {
  failure_code?: string
  failure_message?: string
}

export const failureIn = ({ failure_code, failure_message }: Failure): Failure => ({
  ...(failure_code === undefined ? {} : { failure_code }),
  ...(failure_message === undefined ? {} : { failure_message }),
})
