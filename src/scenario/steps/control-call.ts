import type { Answer } from '../../client/answer-type.ts'
import { ControlError } from '../../client/control-error.ts'

/** The answer of a control call, also where it is a refusal: the state of a record may forbid what a step asks for. */
export async function answerOf(call: { answer(): Promise<Answer> }): Promise<Answer> {
  try {
    return await call.answer()
  } catch (error) {
    if (error instanceof ControlError) return error.answer
    throw error
  }
}
