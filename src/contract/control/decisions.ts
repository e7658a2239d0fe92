import * as Type from '@sinclair/typebox'
import { object, oneOf, type Wire } from '../schema.ts'

/** The decisions in force for questions that the interface document leaves open. */
export const DecisionsInForce = Type.Record(
  Type.String(),
  object({ value: Type.String(), kind: oneOf(['switch', 'constant']) }),
)
export type DecisionsInForce = Wire<typeof DecisionsInForce>
