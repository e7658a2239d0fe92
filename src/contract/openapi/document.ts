import type { TSchema } from '@sinclair/typebox'
import type { Contract } from '../decisions.ts'
import { operations } from '../operations.ts'
import { inBraces } from '../path-pattern.ts'
import { resources } from '../resources.ts'
import { exampleErrors } from './examples.ts'
import { describeOperation } from './operation.ts'
import { type Json, mapValues, plain } from './plain.ts'
import { eventSchemas, webhooks } from './webhooks.ts'

/** The merchant interface as OpenAPI 3.1, according to the contract in force, with this server address. */
export function openApiDocument(contract: Contract, server: string): Json & { readonly openapi: string } {
  const paths: Record<string, Json> = {}
  for (const operation of operations(contract)) {
    const path = inBraces(operation.path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation, contract) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Merchant Payments and Payouts Interface',
      version: '1.0.0',
      summary: 'Payment method discovery, payment intents and payout intents of one merchant.',
      description:
        'The interface that paysim serves. Where its description leaves a question open, this document has the answer in force.',
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
      schemas: mapValues<TSchema, Json>({ ...resources(contract), ...eventSchemas(contract) }, plain),
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
