import type { TSchema } from '@sinclair/typebox'
import type { Contract } from '../decisions.ts'
import type { Wire } from '../schema.ts'
import {
  HISTORY_OPERATIONS,
  PAYOUT_OPERATIONS,
  paymentOperations,
  webhookOperations,
} from './operations/records.ts'
import {
  DASHBOARD_OPERATIONS,
  MERCHANT_OPERATIONS,
  SERVER_OPERATIONS,
  SETTING_OPERATIONS,
} from './operations/server.ts'

/**
 * All operations of the control surface, by method and path, as the server registers its handlers. The compiler checks
 * that the server's answers have these shapes, and the OpenAPI document lists them.
 */
export const controlOperations = (contract: Contract | 'any') => ({
  ...SERVER_OPERATIONS,
  ...MERCHANT_OPERATIONS,
  ...SETTING_OPERATIONS,
  ...paymentOperations(contract),
  ...PAYOUT_OPERATIONS,
  ...webhookOperations(contract),
  ...HISTORY_OPERATIONS,
  ...DASHBOARD_OPERATIONS,
})

/** The operations with their types, for the server and for callers. */
export type ControlOperations = ReturnType<typeof controlOperations>
export type ControlCall = keyof ControlOperations
/** The possible answers to a call: a status and its body. */
export type ControlAnswer<C extends ControlCall> = AnswerIn<ControlOperations[C]['answers']>
type AnswerIn<Answers> = {
  [Status in keyof Answers]: Answers[Status] extends TSchema
    ? [status: Status, body: Wire<Answers[Status]>]
    : [status: Status]
}[keyof Answers]
