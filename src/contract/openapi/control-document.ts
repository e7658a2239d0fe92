import type { TSchema } from '@sinclair/typebox'
import type { ControlOperation } from '../control/operations/operation.ts'
import { type ControlCall, controlOperations } from '../control/operations.ts'
import { type Contract, DECISIONS } from '../decisions.ts'
import { ERROR_STATUS, type ErrorCode, statusOf } from '../errors.ts'
import { inBraces } from '../paths.ts'
import { resources } from '../resources.ts'
import { named } from '../schema.ts'
import { CONTROL_WORDS, wordsOfPathParameter } from './control-words.ts'
import { CONTACT, componentsIn, type Describe, imageForm, type Json } from './plain.ts'

/**
 * The OpenAPI 3.1 document of the control surface at this address. With `any`, it has the answers of every possible
 * contract.
 */
export function controlDocument(
  contract: Contract | 'any',
  server: string,
): Json & { readonly openapi: string } {
  const schemas: Record<string, Json> = {}
  const describe = componentsIn(schemas)
  const paths: Record<string, Record<string, Json>> = {}
  const all = Object.entries<ControlOperation>(controlOperations(contract)) as [
    ControlCall,
    ControlOperation,
  ][]
  // What is never answered with a success is no call of a program: a browser opens it.
  const calls: Calls = new Map(all.filter(([, { answers }]) => Object.keys(answers).some(isSuccess)))
  for (const [call, operation] of calls) {
    const [method = '', path = ''] = call.split(' ')
    const described = describeOperation(call, { operation, calls, contract, describe })
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
      contact: CONTACT,
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
  holds: 'Script',
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

type Calls = ReadonlyMap<ControlCall, ControlOperation>

const isSuccess = (status: string) => status.startsWith('2')

/** From the success of a call to the calls that come after it. */
function links(call: ControlCall, calls: Calls): Json {
  const next = [...calls].filter(([other]) => CONTROL_WORDS[other].after?.call === call)
  if (next.length === 0) return {}
  return { links: Object.fromEntries(next.map(([other, { id }]) => [id, link(other, id)])) }
}

function link(call: ControlCall, operationId: string): Json {
  const { id, query = {}, requestBody } = CONTROL_WORDS[call].after ?? {}
  const names = parametersIn(call)
  const parameters = names.map(name => [
    name,
    name === names.at(-1) && id !== undefined ? id : `$request.path.${name}`,
  ])
  for (const [name, expression] of Object.entries(query)) parameters.push([`query.${name}`, expression])
  return {
    operationId,
    ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) }),
    ...(requestBody === undefined ? {} : { requestBody }),
  }
}

const parametersIn = (path: string) => [...path.matchAll(/:([a-z]+)/g)].map(([, name = '']) => name)

interface Context {
  readonly operation: ControlOperation
  readonly calls: Calls
  readonly contract: Contract | 'any'
  readonly describe: Describe
}

function describeOperation(call: ControlCall, { operation, calls, contract, describe }: Context): Json {
  const { id, summary, query, headers, body, answers, open } = operation
  const [, path = ''] = call.split(' ')
  const { description, example } = CONTROL_WORDS[call]
  return {
    operationId: id,
    summary,
    description,
    tags: [tagOf(path)],
    ...(open ? { security: [] } : {}),
    parameters: parameters(path, query, headers),
    ...(body ? { requestBody: requestBody(body, example, describe) } : {}),
    responses: {
      ...errorResponses(codesOf(path, operation), contract, describe),
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          {
            description: 'Done',
            ...contentOf(answer, describe),
            ...(isSuccess(status) ? links(call, calls) : {}),
          },
        ]),
      ),
    },
  }
}

function parameters(
  path: string,
  query: ControlOperation['query'] = {},
  headers: ControlOperation['headers'] = {},
): Json[] {
  return [
    ...parametersIn(path).map(name => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
      ...wordsOfPathParameter(path, name),
    })),
    ...Object.entries(query).map(([name, schema]) => described(name, 'query', schema)),
    ...Object.entries(headers).map(([name, schema]) => described(name, 'header', schema)),
  ]
}

function described(name: string, place: string, { description, examples = [], ...schema }: TSchema): Json {
  const [example] = examples
  return {
    name,
    in: place,
    description,
    schema: plain(schema),
    ...(example === undefined ? {} : { example }),
  }
}

const plain = componentsIn({})

function requestBody(
  body: NonNullable<ControlOperation['body']>,
  example: Json | undefined,
  describe: Describe,
): Json {
  if ('json' in body) {
    const content = { 'application/json': { schema: describe(body.json), example } }
    return { required: !body.optional, content }
  }
  return { required: true, content: imageForm(body.form) }
}

function contentOf(answer: ControlOperation['answers'][number], describe: Describe): Json {
  if (answer === null) return {}
  if (!('media' in answer)) return { content: { 'application/json': { schema: describe(answer) } } }
  const { media, schema } = answer as Exclude<typeof answer, TSchema>
  const described = schema ? { schema: describe(schema) } : { schema: { type: 'string' } }
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

function errorResponses(codes: ReadonlySet<ErrorCode>, contract: Contract | 'any', describe: Describe): Json {
  const schema = describe(named('Error', resources(contract).Error))
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
