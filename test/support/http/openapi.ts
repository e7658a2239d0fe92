import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { controlDocument } from '../../../src/contract/openapi/control-document.ts'
import type { Answer, CallOptions, Server } from '../gateway/server.ts'
import { TIMESTAMP } from './answers.ts'

/** Checks each accepted request and each answer against the OpenAPI document of the server. */
export interface Conformance {
  check: (method: string, path: string, options: CallOptions | undefined, answer: Answer) => void
}

interface Content {
  content?: Record<string, { schema: object }>
}

interface Operation {
  parameters?: { in: string; name: string; required?: boolean; schema: object }[]
  requestBody?: Content
  responses: Record<string, Content>
}

const documents = new WeakMap<Server, Promise<Conformance>>()
const compiled = new Map<string, Conformance>()

/** Fetches the document once for each server, and compiles equal documents once. */
export function conformanceOf(server: Server): Promise<Conformance> {
  const known = documents.get(server)
  if (known) return known
  const made = server.control('GET', '/openapi.json').then(({ body: { paths, components } }) => {
    const text = JSON.stringify([paths, components])
    const conformance = compiled.get(text) ?? conformanceTo({ paths, components })
    compiled.set(text, conformance)
    return conformance
  })
  documents.set(server, made)
  return made
}

let control: Conformance | undefined

/**
 * Checks all calls of the control surface. It uses the document that allows what any contract allows, so that it is made
 * and compiled once for each worker, not for each server.
 */
export function controlConformance(): Conformance {
  // It returns faults and scripts as they were given, including their times.
  control ??= conformanceTo(controlDocument('any', 'http://127.0.0.1') as unknown as Document, {
    validate: isTimestamp,
  })
  return control
}

/** Answers have times in UTC with milliseconds; requests may use any offset and fraction. */
const isTimestamp = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

type Timestamp = RegExp | { validate: (text: string) => boolean }

function expectation({ schemas }: Document['components'], timestamp: Timestamp) {
  const formats = {
    uri: URL.canParse,
    'date-time': timestamp,
    binary: true as const,
    duration: true as const,
  }
  // Whether the schemas themselves are valid is what the tests of the documents ask.
  const ajv = new Ajv2020({
    strict: false,
    formats,
    allErrors: true,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  })
  // Under the names by which others refer to them, each is compiled once, and not in each that does.
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema, `#/components/schemas/${name}`)
  const validators = new Map<object, ReturnType<typeof ajv.compile>>()
  return (schema: object, value: unknown, what: string) => {
    const validate = validators.get(schema) ?? ajv.compile(schema)
    validators.set(schema, validate)
    expect(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`).toBe(true)
  }
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

function conformanceTo(document: Document, answered: Timestamp = TIMESTAMP): Conformance {
  const expectAnswered = expectation(document.components, answered)
  const expectAsked = expectation(document.components, { validate: isTimestamp })
  const paths = Object.entries(document.paths).map(([template, operations]) => ({
    pattern: new RegExp(
      `^${template
        .split(/\{\w+\}/)
        .map(escaped)
        .join('[^/]+')}$`,
    ),
    operations,
  }))

  const check: Conformance['check'] = (method, path, options, answer) => {
    const [route = '', query = ''] = path.split('?')
    const operation = paths
      .filter(({ pattern }) => pattern.test(route))
      .flatMap(({ operations }) => operations[method.toLowerCase()] ?? [])[0]
    if (operation === undefined) return
    const what = `${method} ${route} ${answer.status}`
    const response = operation.responses[answer.status]
    expect(response, `${what} is not in the OpenAPI document`).toBeDefined()
    const type = answer.headers.get('content-type')?.split(';')[0]
    if (type === undefined) expect([answer.text, response?.content], what).toEqual(['', undefined])
    else {
      const described = response?.content?.[type]
      expect(described, `${what} has no ${type} in the OpenAPI document`).toBeDefined()
      if (described && type.endsWith('json'))
        expectAnswered(described.schema, answer.body, `the answer to ${what}`)
    }
    if (answer.status >= 300) return

    const given = new URLSearchParams(query)
    for (const parameter of operation.parameters ?? []) {
      const values = parameter.in === 'query' ? given.getAll(parameter.name) : []
      if (values.length === 0) continue
      expectAsked(parameter.schema, meantBy(values, parameter.schema), `${parameter.name} of ${what}`)
    }
    const json = operation.requestBody?.content?.['application/json']
    if (json && options?.body !== undefined) {
      expectAsked(json.schema, JSON.parse(JSON.stringify(options.body)), `the body of ${what}`)
    }
  }
  return { check }
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A query is text: the schema says what it stands for. */
function meantBy(values: readonly string[], schema: { type?: string }): unknown {
  if (schema.type === 'array') return values.flatMap(value => value.split(','))
  return schema.type === 'integer' ? Number(values[0]) : values[0]
}
