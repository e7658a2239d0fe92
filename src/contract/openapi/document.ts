import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { Contract } from '../decisions.ts'
import { EVENT_NAMES, type EventName, endingOf, isStandardEvent } from '../event-names.ts'
import { operations } from '../operations.ts'
import { inBraces } from '../paths.ts'
import { PayoutInEvent, resources } from '../resources.ts'
import { named } from '../schema.ts'
import { exampleErrors, exampleEvent } from './examples.ts'
import { describeOperation } from './operation.ts'
import { CONTACT, componentsIn, type Json } from './plain.ts'

/** The merchant interface as OpenAPI 3.1, according to the contract in force, with this server address. */
export function openApiDocument(contract: Contract, server: string): Json & { readonly openapi: string } {
  const paths: Record<string, Json> = {}
  for (const operation of operations(contract)) {
    const path = inBraces(operation.path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation, contract) }
  }
  const schemas: Record<string, Json> = {}
  const describe = componentsIn(schemas)
  for (const [name, schema] of Object.entries<TSchema>({ ...resources(contract), ...eventSchemas(contract) }))
    describe(named(name, schema))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Merchant Payments and Payouts Interface',
      version: '1.0.0',
      summary: 'Payment method discovery, payment intents and payout intents of one merchant.',
      description:
        'The interface that paysim serves. Where its description leaves a question open, this document has the answer in force.',
      contact: CONTACT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server, description: 'paysim' }],
    security: [{ basic: [] }],
    tags: [
      { name: 'Payments', description: 'Payment methods and payment intents' },
      { name: 'Payouts', description: 'Payout intents' },
    ],
    paths,
    webhooks: webhooks(contract),
    components: {
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'The public key and the secret key of one environment.',
        },
      },
      headers: HEADERS,
      examples: exampleErrors(contract),
      schemas,
    },
  }
}

const HEADERS = {
  RequestId: {
    description: 'The id of this answer, and of the request in the request log.',
    schema: { type: 'string', pattern: '^req_' },
  },
  IdempotentReplayed: {
    description: 'true if this answer was stored for an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: {
    description: 'How many seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 0 },
  },
  WwwAuthenticate: { description: 'The authentication scheme.', schema: { type: 'string' } },
}

/** `payment.succeeded` is described as PaymentSucceeded. */
const schemaName = (event: EventName) =>
  event.replaceAll(/(?:^|\.)([a-z])/g, (_, first: string) => first.toUpperCase())

/** What paysim posts to a merchant's endpoint, for each event. */
function webhooks(contract: Contract): Record<string, Json> {
  return Object.fromEntries(EVENT_NAMES.map(event => [event, { post: describeEvent(event, contract) }]))
}

function describeEvent(event: EventName, contract: Contract): Json {
  return {
    operationId: `on${schemaName(event)}`,
    summary: `Notification of ${event}`,
    description: isStandardEvent(event)
      ? 'Sent by default to every endpoint that does not choose its events.'
      : 'Sent only to an endpoint that asks for it by name or with *.',
    tags: [event.startsWith('payout') ? 'Payouts' : 'Payments'],
    security: [],
    parameters: WEBHOOK_HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${schemaName(event)}` },
          example: exampleEvent(event, contract),
        },
      },
    },
    responses: {
      '2XX': { description: 'Delivered. The event is not sent to this endpoint again.' },
      '410': { description: 'The endpoint is gone. It is disabled.' },
      default: { description: 'Anything else, including a redirect: the event is sent again later.' },
    },
  }
}

/** Standard Webhooks: each attempt is signed. */
const WEBHOOK_HEADERS = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: "The event's id. It is the same at each attempt, so ignore ids that you have seen.",
    schema: { type: 'string', pattern: '^evt_' },
    example: 'evt_9WIAdzhCBvYLVBSN4VX6BFNc',
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'The time of this attempt in seconds since 1970, by the wall clock.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1798725600',
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` with the endpoint's secret. While a secret rotates, there are several, separated by spaces.",
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
]

function eventSchemas(contract: Contract) {
  const schemas = EVENT_NAMES.map(event => {
    const ending = endingOf(event, contract)
    const record = Type.Ref(event.startsWith('payout') ? 'PayoutInEvent' : 'PaymentIntent')
    const data =
      ending === undefined
        ? record
        : Type.Unsafe({ allOf: [record, { properties: { status: { const: ending } } }] })
    return [
      schemaName(event),
      Type.Object(
        {
          id: Type.String({ pattern: '^evt_' }),
          type: Type.Literal(event),
          timestamp: Type.String({ format: 'date-time' }),
          environment: Type.Unsafe({ type: 'string', enum: ['live', 'test'] }),
          data,
        },
        { additionalProperties: false },
      ),
    ] as const
  })
  return { PayoutInEvent, ...Object.fromEntries(schemas) }
}
