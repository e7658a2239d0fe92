import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { ControlOperation } from '../control/operations/operation.ts'
import { controlOperations } from '../control/operations.ts'
import { type Contract, DECISIONS } from '../decisions.ts'
import { ERROR_STATUS, type ErrorCode, statusOf } from '../errors.ts'
import { inBraces } from '../paths.ts'
import { resources } from '../resources.ts'
import { named } from '../schema.ts'
import { type Json, mapValues } from './plain.ts'

/**
 * The OpenAPI 3.1 document of the control surface at this address. With `any`, it has the answers of every possible
 * contract.
 */
export function controlDocument(
  contract: Contract | 'any',
  server: string,
): Json & { readonly openapi: string } {
  const schemas: Record<string, Json> = {}
  const listed = componentsIn(schemas)
  const paths: Record<string, Record<string, Json>> = {}
  for (const [call, operation] of Object.entries<ControlOperation>(controlOperations(contract))) {
    const [method = '', path = ''] = call.split(' ')
    const described = describeOperation(path, operation, contract, listed)
    paths[inBraces(path)] = { ...paths[inBraces(path)], [method.toLowerCase()]: described }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'paysim control surface',
      version: '1.0.0',
      summary: 'Make merchants, move time, decide outcomes, and look inside.',
      description:
        'Calls that a real payment gateway does not have: they control the simulator. For test suites and tools.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server, description: 'paysim' }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The control token of the server.' },
      },
      schemas,
    },
  }
}

const TAGS = {
  Server: 'The server itself, and the documents that it gives out',
  Merchants: 'Merchants and their keys',
  Time: 'The clock of an account, and its timers',
  Script: 'What the simulated provider does, and what goes wrong',
  Payments: 'Payments, as the payer and the provider move them',
  Payouts: 'Payouts, as the provider moves them',
  Webhooks: 'Endpoints, events and deliveries',
  History: 'What happened: the journal, requests, and lists for people',
  Dashboard: 'How a browser is let in',
}

/** The tag of an operation, by the first part of its path. */
const TAG_OF: Readonly<Record<string, keyof typeof TAGS>> = {
  merchants: 'Merchants',
  keys: 'Merchants',
  clock: 'Time',
  timers: 'Time',
  rules: 'Script',
  faults: 'Script',
  catalogue: 'Script',
  payments: 'Payments',
  'provider-calls': 'Payments',
  assets: 'Payments',
  images: 'Payments',
  payouts: 'Payouts',
  'webhook-endpoints': 'Webhooks',
  'webhook-deliveries': 'Webhooks',
  events: 'Webhooks',
  dashboard: 'Dashboard',
}

function tagOf(path: string): keyof typeof TAGS {
  const [, first = '', , subject = ''] = path.split('/')
  return first === 'accounts' ? (TAG_OF[subject] ?? 'History') : (TAG_OF[first] ?? 'Server')
}

function describeOperation(
  path: string,
  operation: ControlOperation,
  contract: Contract | 'any',
  listed: (schema: TSchema) => Json,
): Json {
  const { id, summary, query, headers, body, answers, open } = operation
  return {
    operationId: id,
    summary,
    tags: [tagOf(path)],
    ...(open ? { security: [] } : {}),
    parameters: parameters(path, query, headers),
    ...(body ? { requestBody: requestBody(body, listed) } : {}),
    responses: {
      ...errorResponses(codesOf(path, operation), contract, listed),
      ...mapValues(answers, answer => ({ description: 'Done', ...contentOf(answer, listed) })),
    },
  }
}

function parameters(
  path: string,
  query: ControlOperation['query'] = {},
  headers: ControlOperation['headers'] = {},
): Json[] {
  const schema = { type: 'string' }
  const names = [...path.matchAll(/:([a-z]+)/g)].map(([, name]) => name)
  return [
    ...names.map(name => ({ name, in: 'path', required: true, schema })),
    ...Object.entries(query).map(([name, description]) => ({ name, in: 'query', description, schema })),
    ...Object.entries(headers).map(([name, description]) => ({ name, in: 'header', description, schema })),
  ]
}

function requestBody(body: NonNullable<ControlOperation['body']>, listed: (schema: TSchema) => Json): Json {
  if ('json' in body)
    return { required: !body.optional, content: { 'application/json': { schema: listed(body.json) } } }
  const properties = mapValues(body.form, description => ({ type: 'string', description }))
  const schema = { type: 'object', required: body.required, properties }
  return { required: true, content: { 'multipart/form-data': { schema } } }
}

function contentOf(answer: ControlOperation['answers'][number], listed: (schema: TSchema) => Json): Json {
  if (answer === null) return {}
  if (!('media' in answer)) return { content: { 'application/json': { schema: listed(answer) } } }
  const { media, schema } = answer as Exclude<typeof answer, TSchema>
  const described = schema ? { schema: listed(schema) } : { schema: { type: 'string' } }
  return { content: Object.fromEntries(media.map(type => [type, described])) }
}

/** Errors of every call. A request with a foreign Host is not valid either. */
const ALWAYS: readonly ErrorCode[] = ['validation_failed', 'internal_error', 'service_unavailable']

function codesOf(path: string, { body, errors = [], open }: ControlOperation): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>([...ALWAYS, ...errors])
  if (!open) codes.add('unauthorized')
  if (path.includes(':')) codes.add('not_found')
  if (body) codes.add('unsupported_media_type').add('payload_too_large')
  return codes
}

function errorResponses(
  codes: ReadonlySet<ErrorCode>,
  contract: Contract | 'any',
  listed: (schema: TSchema) => Json,
): Json {
  const schema = listed(named('Error', resources(contract).Error))
  const content = Object.fromEntries(errorMedia(contract).map(type => [type, { schema }]))
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes)
    for (const status of statusesOf(code, contract))
      byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  // The server refuses requests from pages of other origins, even with valid credentials.
  byStatus.set(403, ['unauthorized'])
  return Object.fromEntries(
    [...byStatus].map(([status, together]) => [status, { description: together.join(', '), content }]),
  )
}

function errorMedia(contract: Contract | 'any'): string[] {
  if (contract === 'any') return ['application/json', 'application/problem+json']
  return [contract['errors.body'] === 'problem' ? 'application/problem+json' : 'application/json']
}

function statusesOf(code: ErrorCode, contract: Contract | 'any'): readonly number[] {
  if (contract !== 'any') return [statusOf(code, contract)]
  return code === 'unauthorized' ? DECISIONS['auth.failure_status'].values.map(Number) : [ERROR_STATUS[code]]
}

/**
 * Moves schemas with a name to the components, and refers to them. The name is then removed, because it would be there
 * twice.
 */
function componentsIn(components: Record<string, Json>) {
  const listed = (schema: TSchema): Json => {
    const { title, ...rest } = schema
    const described = JSON.parse(
      JSON.stringify(rest, (key, value) => (key !== '' && isNamed(value) ? listed(value) : value)),
    )
    if (title === undefined) return described
    components[title] = described
    return { $ref: `#/components/schemas/${title}` }
  }
  return listed
}

const isNamed = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && 'title' in value && Type.Kind in value
