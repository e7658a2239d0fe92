import type { Contract } from '../decisions.ts'
import { statusOf } from '../error-body.ts'
import type { ErrorCode } from '../errors.ts'
import type { Operation, OperationId } from '../operations.ts'
import { exampleAnswer, exampleError } from './examples.ts'
import type { Json } from './plain.ts'
import { parameters, requestBody } from './request.ts'

/** Every operation can return these: 400 for an unknown Host, and 429 and 503 also because of a fault. */
const ALWAYS: readonly ErrorCode[] = [
  'validation_failed',
  'unauthorized',
  'rate_limited',
  'internal_error',
  'service_unavailable',
]

export function describeOperation(operation: Operation, contract: Contract): Json {
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.path.startsWith('/payout') && operation.id !== 'createPayment' ? 'Payouts' : 'Payments'],
    parameters: parameters(operation),
    ...requestBody(operation, contract),
    responses: { ...success(operation, contract), ...errors(operation, contract) },
  }
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

function success({ id, success: { status, resource }, idempotencyKey }: Operation, contract: Contract): Json {
  const links = LINKS[id]
  return {
    [status]: {
      description: 'Done',
      headers: {
        'Request-Id': header('RequestId'),
        ...(idempotencyKey ? { 'Idempotent-Replayed': header('IdempotentReplayed') } : {}),
      },
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${resource}` },
          example: exampleAnswer(id, contract),
        },
      },
      ...(links ? { links } : {}),
    },
  }
}

const link = (operationId: OperationId, id: string, description: string) => ({
  [operationId]: { operationId, parameters: { id }, description },
})

/** Links from a response to the operations that can follow. */
const LINKS: Partial<Record<OperationId, Json>> = {
  createPayment: {
    ...link('getPayment', '$response.body#/id', 'Read the payment until its status is final.'),
    ...link('cancelPayment', '$response.body#/id', 'Cancel the payment while it is pending.'),
    ...link('submitReceipt', '$response.body#/id', 'Submit the receipt, if `receipt` is not null.'),
  },
  listPayouts: link(
    'cancelPayout',
    '$response.body#/data/0/id',
    'Cancel the newest payout of the page, if it requires approval.',
  ),
}

function errors(operation: Operation, contract: Contract): Json {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codesOf(operation, contract)) {
    const status = statusOf(code, contract)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const type = contract['errors.body'] === 'problem' ? 'application/problem+json' : 'application/json'
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.join(', '),
        headers: headersOf(status, codes, { operation, contract }),
        content: {
          [type]: {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(
              codes.map(code => [code, exampleError(code, operation.id, contract)]),
            ),
          },
        },
      },
    ]),
  )
}

function codesOf(operation: Operation, contract: Contract): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>([...ALWAYS, ...operation.errors])
  if (operation.json) codes.add('unsupported_media_type').add('payload_too_large')
  if (operation.idempotencyKey) codes.add('idempotency_conflict').add('idempotency_in_progress')
  if (operation.id === 'listPaymentMethods' && contract['methods.denied_mode'] === 'empty')
    codes.delete('checkout_mode_not_allowed')
  return codes
}

/** The only status of a refusal that can be stored with its key and replayed. */
const KEPT = 422

function headersOf(
  status: number,
  codes: readonly ErrorCode[],
  { operation, contract }: { operation: Operation; contract: Contract },
): Json {
  const isKept = status === KEPT && contract['idempotency.refusals'] === 'keep'
  const canWait = codes.includes('rate_limited') || codes.includes('service_unavailable')
  return {
    'Request-Id': header('RequestId'),
    ...(codes.includes('unauthorized') ? { 'WWW-Authenticate': header('WwwAuthenticate') } : {}),
    ...(canWait ? { 'Retry-After': header('RetryAfter') } : {}),
    ...(operation.idempotencyKey && isKept ? { 'Idempotent-Replayed': header('IdempotentReplayed') } : {}),
  }
}
