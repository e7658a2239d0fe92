import type { TSchema } from '@sinclair/typebox'
import type { Contract } from './decisions.ts'
import { statusOf } from './error-body.ts'
import type { ErrorCode } from './errors.ts'
import { LIMITS, RECEIPT_TYPES } from './limits.ts'
import { type Operation, operations } from './operations.ts'
import { inBraces } from './path-pattern.ts'
import { resources } from './resources.ts'

type Json = Record<string, unknown>

/** Every operation can answer with these. */
const ALWAYS: readonly ErrorCode[] = ['unauthorized', 'internal_error', 'service_unavailable']

/** The merchant interface as OpenAPI 3.1, by the contract in force. */
export function openApiDocument(contract: Contract, server = 'http://127.0.0.1:7297'): Json {
  const { Fault, ...shapes } = resources(contract)
  const paths: Record<string, Json> = {}
  for (const operation of operations(contract)) {
    const path = inBraces(operation.path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, contract) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Merchant Payments and Payouts Interface',
      version: '1.0.0',
      summary: 'Payment method discovery, payment intents and payout intents of one merchant.',
      description:
        'As paysim serves it, with every question that the interface leaves open answered by its contract.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server, description: 'A paysim on this machine' }],
    security: [{ basic: [] }],
    tags: [
      { name: 'Payments', description: 'Payment methods and payment intents' },
      { name: 'Payouts', description: 'Payout intents' },
    ],
    paths,
    components: {
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'The public key and the secret key of one environment.',
        },
      },
      schemas: { ...mapValues(shapes, plain), Fault: plain(Fault) },
    },
  }
}

function describe(operation: Operation, contract: Contract): Json {
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.path.startsWith('/payout') ? 'Payouts' : 'Payments'],
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...headerParameters(operation)],
    ...requestBody(operation, contract),
    responses: { ...success(operation), ...faults(operation, contract) },
  }
}

function pathParameters({ path }: Operation): Json[] {
  if (!path.includes('/:id')) return []
  return [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
}

function queryParameters({ query }: Operation): Json[] {
  if (!query) return []
  const required: readonly string[] = query.required ?? []
  return Object.entries<TSchema>(query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: name === 'limit' ? { ...LIMIT_SCHEMA } : plain(schema),
  }))
}

/** On the wire it is text; what it means is a number. */
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
          ? 'Required with an image, ignored with an asset. The same key and image get the same answer for 24 hours.'
          : 'The same key and request get the same answer for 24 hours.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  ]
}

function requestBody({ json, multipart }: Operation, contract: Contract): Json {
  if (!json) return {}
  const content: Json = {
    'application/json': { schema: bodySchema(json.schema, contract) },
  }
  if (multipart) {
    content['multipart/form-data'] = {
      schema: {
        type: 'object',
        required: ['file'],
        properties: {
          file: {
            type: 'string',
            contentMediaType: 'application/octet-stream',
            description: `A JPEG or PNG image of at most ${LIMITS.receiptImage} bytes`,
          },
        },
      },
      encoding: { file: { contentType: RECEIPT_TYPES.join(', ') } },
    }
  }
  return { requestBody: { required: json.required, content } }
}

function success({ success: { status, resource }, idempotencyKey }: Operation): Json {
  return {
    [status]: {
      description: 'Done',
      headers: {
        ...REQUEST_ID,
        ...(idempotencyKey
          ? {
              'Idempotent-Replayed': {
                description: 'true on an answer given again',
                schema: { type: 'string' },
              },
            }
          : {}),
      },
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${resource}` } } },
    },
  }
}

const REQUEST_ID = { 'Request-Id': { description: 'Names this answer', schema: { type: 'string' } } }

function faults(operation: Operation, contract: Contract): Json {
  const syntax: ErrorCode[] = operation.json ? ['unsupported_media_type', 'payload_too_large'] : []
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set<ErrorCode>([
    ...ALWAYS,
    ...syntax,
    ...inProgress(operation),
    ...operation.errors,
  ])) {
    const status = statusOf(code, contract)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const type = contract['errors.body'] === 'problem' ? 'application/problem+json' : 'application/json'
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.join(', '),
        headers: REQUEST_ID,
        content: { [type]: { schema: { $ref: '#/components/schemas/Fault' } } },
      },
    ]),
  )
}

const inProgress = ({ idempotencyKey }: Operation): ErrorCode[] =>
  idempotencyKey ? ['idempotency_in_progress'] : []

function bodySchema(schema: TSchema | undefined, contract: Contract): Json {
  if (!schema) return { type: 'object' }
  return contract['strict.nulls'] === 'absent' ? withNulls(plain(schema)) : plain(schema)
}

/** Where a null counts as absent, every member that may be left out may be null. */
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

/** A schema as plain JSON, with references that resolve inside the document. */
function plain(schema: TSchema): Json {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === '$ref' ? `#/components/schemas/${value}` : value)),
  )
}

const mapValues = <V, W>(values: Record<string, V>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
