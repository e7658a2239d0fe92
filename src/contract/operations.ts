import type { TSchema } from '@sinclair/typebox'
import type { Contract } from './decisions.ts'
import type { ErrorCode } from './errors.ts'
import { OPERATION_PATHS } from './paths.ts'
import {
  AssetReceiptBody,
  CancelPayoutBody,
  createPaymentBody,
  DiscoveryQuery,
  PayoutListQuery,
} from './requests.ts'

/** The merchant interface, operation by operation. The server, the client and the OpenAPI document read it. */
export interface Operation {
  readonly id: OperationId
  readonly method: 'GET' | 'POST'
  /** The path, with `:id` in place of a record's id. */
  readonly path: string
  readonly summary: string
  readonly query?: TSchema
  readonly json?: { readonly schema?: TSchema; readonly required: boolean }
  readonly multipart?: true
  readonly idempotencyKey?: 'optional' | 'required' | 'multipart'
  readonly success: { readonly status: number; readonly resource: ResourceName }
  readonly errors: readonly ErrorCode[]
}

export type OperationId = keyof typeof OPERATION_PATHS
export type ResourceName = 'PaymentIntent' | 'PayoutIntent' | 'PayoutList' | 'PaymentMethodOptions'

export function operations(contract: Contract): readonly Operation[] {
  const onCreate = contract['create.idempotency']
  return [
    {
      id: 'listPaymentMethods',
      ...OPERATION_PATHS.listPaymentMethods,
      summary: 'List the eligible payment methods',
      query: DiscoveryQuery,
      success: { status: 200, resource: 'PaymentMethodOptions' },
      errors: ['validation_failed', 'checkout_mode_not_allowed'],
    },
    {
      id: 'createPayment',
      ...OPERATION_PATHS.createPayment,
      path: contract['create.path'],
      summary: 'Create a payment intent',
      json: { schema: createPaymentBody(contract), required: true },
      ...(onCreate === 'off' ? {} : { idempotencyKey: onCreate }),
      success: { status: 201, resource: 'PaymentIntent' },
      errors: [
        'validation_failed',
        'checkout_mode_not_allowed',
        'payment_configuration_unavailable',
        'routing_unavailable',
      ],
    },
    {
      id: 'getPayment',
      ...OPERATION_PATHS.getPayment,
      summary: 'Retrieve a payment intent',
      success: { status: 200, resource: 'PaymentIntent' },
      errors: ['not_found'],
    },
    {
      id: 'cancelPayment',
      ...OPERATION_PATHS.cancelPayment,
      summary: 'Cancel a pending payment intent',
      json: { required: false },
      idempotencyKey: 'optional',
      success: { status: 202, resource: 'PaymentIntent' },
      errors: ['validation_failed', 'not_found', 'invalid_state', 'provider_capability_unsupported'],
    },
    {
      id: 'submitReceipt',
      ...OPERATION_PATHS.submitReceipt,
      summary: 'Submit a receipt, as an asset or an image',
      json: { schema: AssetReceiptBody, required: true },
      multipart: true,
      idempotencyKey: 'multipart',
      success: { status: Number(contract['status.receipt']), resource: 'PaymentIntent' },
      errors: ['validation_failed', 'not_found', 'invalid_state', 'provider_capability_unsupported'],
    },
    {
      id: 'listPayouts',
      ...OPERATION_PATHS.listPayouts,
      summary: 'List payout intents, most recent first',
      query: PayoutListQuery,
      success: { status: 200, resource: 'PayoutList' },
      errors: ['validation_failed'],
    },
    {
      id: 'cancelPayout',
      ...OPERATION_PATHS.cancelPayout,
      summary: 'Cancel a payout intent that awaits approval',
      json: { schema: CancelPayoutBody, required: false },
      success: { status: Number(contract['status.payout_cancel']), resource: 'PayoutIntent' },
      errors: ['validation_failed', 'not_found', 'invalid_state'],
    },
  ]
}

/**
 * The names of each operation in faults: its method and current path. The creation also keeps its path from the
 * interface document, so that a list of faults works whatever `create.path` is.
 */
export function operationNames(contract: Contract): ReadonlyMap<string, readonly string[]> {
  return new Map(
    operations(contract).map(({ id, method, path }) => {
      const name = `${method} ${path}`
      const standard = `${method} ${OPERATION_PATHS[id].path}`
      return [name, name === standard ? [name] : [name, standard]]
    }),
  )
}
