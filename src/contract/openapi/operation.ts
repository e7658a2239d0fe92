import type { TSchema } from '@sinclair/typebox'
import { COUNTRIES } from '../currencies.ts'
import type { Contract } from '../decisions.ts'
import { type ErrorCode, statusOf } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import type { Operation, OperationId } from '../operations.ts'
import { WEB_ADDRESS } from '../pattern-words.ts'
import {
  EXAMPLE_KEY,
  exampleAnswer,
  exampleBody,
  exampleError,
  examplePathId,
  exampleQuery,
} from './examples.ts'
import { componentsIn, imageForm, type Json } from './plain.ts'

/** What a request may contain has no components of its own. */
const plain = componentsIn({})

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
    description: DESCRIPTIONS[operation.id],
    tags: [operation.path.startsWith('/payout') && operation.id !== 'createPayment' ? 'Payouts' : 'Payments'],
    parameters: parameters(operation),
    ...requestBody(operation, contract),
    responses: { ...success(operation, contract), ...errors(operation, contract) },
  }
}

const DESCRIPTIONS: Readonly<Record<OperationId, string>> = {
  listPaymentMethods:
    'Those that this amount, currency and country can be paid with, and what each of them needs.',
  createPayment:
    'In the mode `hosted`, the payer chooses the method on a page; in the mode `merchant`, the request names it.',
  getPayment: 'As it is now. Read it until its status is final, or wait for the webhook.',
  cancelPayment: 'The provider confirms it later, or the payment succeeds before.',
  submitReceipt: 'The provider checks it. If it rejects it, another one can be submitted.',
  listPayouts: 'In pages. Send the `next_cursor` of a page, with the same filters, for the next one.',
  cancelPayout: 'Nothing was sent to the recipient yet.',
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

/** What a request may contain: the server's own schemas, and the rules that it checks in addition. */
function parameters(operation: Operation): Json[] {
  return [...pathParameters(operation), ...queryParameters(operation), ...headerParameters(operation)]
}

function pathParameters({ path, id }: Operation): Json[] {
  if (!path.includes('/:id')) return []
  const schema = { type: 'string', minLength: 1 }
  const description = 'The id that the record was created with.'
  return [{ name: 'id', in: 'path', required: true, description, schema, example: examplePathId(id) }]
}

function queryParameters({ id, query }: Operation): Json[] {
  if (!query) return []
  const required: readonly string[] = query.required ?? []
  const example = exampleQuery(id)
  return Object.entries<TSchema>(query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(name in NOTES ? { description: NOTES[name] } : {}),
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: name === 'limit' ? { ...LIMIT_SCHEMA } : plain(schema),
    ...(name in example ? { example: example[name] } : {}),
  }))
}

const NOTES: Readonly<Record<string, string>> = {
  cursor: 'The next_cursor of the previous page. Send the same filters with it.',
  created_after: 'Inclusive.',
  created_before: 'Exclusive.',
  provider: "Only this provider's routes, with no fallback to another provider.",
}

/** The wire has text; the value is a number. */
const LIMIT_SCHEMA = {
  type: 'integer',
  minimum: LIMITS.pageSize.min,
  maximum: LIMITS.pageSize.max,
  default: LIMITS.pageSize.standard,
}

function headerParameters({ idempotencyKey }: Operation): Json[] {
  if (!idempotencyKey) return []
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: idempotencyKey === 'required',
      description:
        idempotencyKey === 'multipart'
          ? 'Required with an image, ignored with an asset. For 24 hours, the same key and image get the same answer.'
          : 'For 24 hours, the same key and request get the same answer.',
      // HTTP trims header values, so blanks at the ends never arrive.
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
      example: EXAMPLE_KEY,
    },
  ]
}

function requestBody({ id, json, multipart }: Operation, contract: Contract): Json {
  if (!json) return {}
  const content: Json = {
    // First, because some generators know only the first one.
    ...(multipart ? imageForm() : {}),
    'application/json': { schema: bodySchema(id, json.schema, contract), example: exampleBody(id) },
  }
  const note =
    id === 'cancelPayment'
      ? {
          description:
            'Send `{}`: most clients leave out the Content-Type with the body, and it is required.',
        }
      : {}
  return { requestBody: { ...note, required: json.required, content } }
}

function bodySchema(id: OperationId, schema: TSchema | undefined, contract: Contract): Json {
  const isCreation = id === 'createPayment'
  const described = isCreation ? withFieldRules(schema) : schema
  const fields = described ? plain(described) : { type: 'object' }
  const body = contract['strict.nulls'] === 'absent' ? withNulls(fields) : fields
  return {
    ...body,
    ...(contract['strict.unknown_members'] === 'reject' ? { additionalProperties: false } : {}),
    ...(isCreation ? { allOf: RULES_BETWEEN_FIELDS } : {}),
  }
}

/** If null counts as absent, every optional member may be null. */
function withNulls(schema: Json): Json {
  const properties = schema.properties as Record<string, Json> | undefined
  if (!properties) return schema
  const required = (schema.required ?? []) as readonly string[]
  const orNull = (name: string, member: Json): Json =>
    required.includes(name) ? withNulls(member) : { anyOf: [withNulls(member), { type: 'null' }] }
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, orNull(name, member)]),
    ),
  }
}

/**
 * Rules for single fields of a creation that the server checks outside the schema, to give better messages.
 */
function withFieldRules(schema: TSchema | undefined): TSchema {
  const { country, return_url: returnUrl, ...others } = schema?.properties ?? {}
  const properties = {
    ...others,
    country: { ...country, enum: COUNTRIES },
    return_url: { ...returnUrl, pattern: WEB_ADDRESS, examples: ['https://shop.example/thanks?order=1001'] },
  }
  return { ...schema, properties } as TSchema
}

/**
 * The rules between fields must allow other members explicitly, because some validators refuse what a schema does not
 * name.
 */
const where = (properties: Record<string, Json>) => ({
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
})
/** If null is accepted, it counts as absent, so the condition checks the type. */
const given = (field: string, type: string) => where({ [field]: { type } })
const when = (condition: Json, consequence: Json) => ({ if: condition, then: consequence })

const RULES_BETWEEN_FIELDS = [
  when(where({ checkout_mode: { const: 'merchant' } }), {
    allOf: [given('payment_method', 'string'), { not: given('return_url', 'string') }],
  }),
  when(given('payment_method_options', 'object'), given('payment_method', 'string')),
]
