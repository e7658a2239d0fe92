import type { Static } from '@sinclair/typebox'
import { FLOW_STEPS, LOOK_STEPS } from './look-steps.ts'
import { MERCHANT_STEPS } from './merchant-steps.ts'
import { OPERATOR_STEPS } from './operator-steps.ts'
import { PAYER_STEPS } from './payer-steps.ts'

/** Every step there is, by the word that says what it does. @internal */
export const STEPS = {
  ...MERCHANT_STEPS,
  ...PAYER_STEPS,
  ...OPERATOR_STEPS,
  ...LOOK_STEPS,
  ...FLOW_STEPS,
}

export type Verb = keyof typeof STEPS
export type StepOf<V extends Verb> = Static<(typeof STEPS)[V]>
export type Step = { [V in Verb]: StepOf<V> }[Verb]

export const VERBS = Object.keys(STEPS) as Verb[]

/** The words that say what a step does: one, in a step that is right. */
export const verbsOf = (step: object): Verb[] => VERBS.filter(verb => Object.hasOwn(step, verb))
