import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, onTestFinished, test } from 'vitest'
import { DURATION_PATTERN } from '../../src/contract/durations.ts'
import { controlDocument } from '../../src/contract/openapi/control-document.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { runCommand } from '../support/cli/run-command.ts'

/** `paysim openapi` before a public linter, as a user who generates a client from the document would use it. */

/** Contracts that change the document: codes, media types, paths, and what may be absent. */
const VARIANTS: [name: string, overrides: Record<string, unknown>][] = [
  ['the contract as it is', {}],
  [
    'other shapes and statuses',
    {
      'errors.body': 'problem',
      'fields.absent': 'omit',
      'list.last_cursor': 'omit',
      'methods.payer_keys': 'relevant',
      'methods.banks_empty': 'omit',
      'auth.failure_status': '403',
      'errors.idempotency_conflict': '422',
      'status.receipt': '202',
      'status.payout_cancel': '202',
    },
  ],
  [
    'another way to create',
    {
      'create.path': '/v2/payments/new',
      'create.idempotency': 'required',
      'create.merchant_reference': 'optional',
      'errors.body': 'flat',
      'list.last_cursor': 'empty',
    },
  ],
  ['no idempotency on create', { 'create.idempotency': 'off', 'errors.idempotency_conflict': '400' }],
]

test.each(VARIANTS)('%s: the linter finds nothing', async (_, overrides) => {
  expect(await lint(await documentOf(overrides))).toEqual([])
})

test.each(VARIANTS)(
  '%s: the linter finds nothing in the document of the control surface',
  async (_, overrides) => {
    const document = controlDocument(resolveContract(overrides), 'http://127.0.0.1:7297/_paysim')
    expect(await lint(JSON.stringify(document))).toEqual([])
  },
)

const CONTROL: ControlDocument = JSON.parse(
  JSON.stringify(controlDocument(resolveContract({}), 'http://127.0.0.1:7297/_paysim')),
)
const CALLS = Object.values(CONTROL.paths).flatMap(path => Object.values(path))

interface Media {
  schema: object
  example?: unknown
}
interface ControlDocument {
  paths: Record<string, Record<string, ControlCallDescribed>>
  components: { schemas: Record<string, { oneOf?: { $ref: string }[]; discriminator?: Discriminator }> }
}
interface Discriminator {
  propertyName: string
  mapping: Record<string, string>
}
interface ControlCallDescribed {
  operationId: string
  parameters: ({ name: string; in: string; description?: string } & Media)[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { links?: Record<string, { operationId: string; parameters?: object }> }>
}

test('each parameter and body of the control surface has an example that fits, and its parameters a description', () => {
  const formats = { 'date-time': true as const, uri: true as const }
  const ajv = new Ajv2020({ strict: false, formats, allErrors: true })
  for (const { operationId, parameters, requestBody } of CALLS) {
    const bodies = Object.entries(requestBody?.content ?? {})
    for (const { name, description } of parameters)
      expect(description, `${operationId}: ${name}`).toMatch(/^[A-Za-z].{4,}/)
    const given = [...parameters.map(one => [one.name, one] as const), ...bodies]
    for (const [name, { schema, example }] of given) {
      const fits = ajv.validate({ ...schema, components: CONTROL.components }, example)
      expect(example, `${operationId}: ${name}`).toBeDefined()
      expect(fits, `${operationId}: ${name} ${ajv.errorsText()}`).toBe(true)
    }
  }
})

test('a value in a path that a new server does not have comes by a link from another call', () => {
  const linked = CALLS.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ links = {} }) => Object.values(links)),
  )
  const names = new Map(
    CALLS.map(({ operationId, parameters }) => [
      operationId,
      parameters.filter(one => one.in === 'path').map(({ name }) => name),
    ]),
  )
  for (const { operationId, parameters = {} } of linked)
    expect(
      Object.keys(parameters).filter(name => !name.startsWith('query.')),
      operationId,
    ).toEqual(names.get(operationId))
  const targets = linked.map(({ operationId }) => operationId)
  for (const [operationId, path] of names)
    if (path.some(name => name !== 'account')) expect(targets).toContain(operationId)
})

test('a duration is a pattern, and a union says which of its members an answer is', () => {
  const text = JSON.stringify(CONTROL)
  expect(text).not.toContain('"format":"duration"')
  expect(text).toContain(JSON.stringify(DURATION_PATTERN))
  for (const duration of ['250ms', '5s', '1h30m', '1.5s', '7d', 'PT5M', 'P1DT2H'])
    expect(duration).toMatch(new RegExp(DURATION_PATTERN, 'u'))
  for (const other of ['5', '5 s', 'soon', '-5s', 's'])
    expect(other).not.toMatch(new RegExp(DURATION_PATTERN, 'u'))
  const unions = Object.values(CONTROL.components.schemas).filter(({ oneOf }) => oneOf)
  expect(unions.length).toBeGreaterThan(2)
  for (const { oneOf = [], discriminator } of unions)
    expect(new Set(Object.values(discriminator?.mapping ?? {}))).toEqual(
      new Set(oneOf.map(({ $ref }) => $ref)),
    )
  expect(CONTROL.components.schemas.NextAction?.discriminator?.propertyName).toBe('type')
})

test('each variant gives a different document', async () => {
  const documents = await Promise.all(VARIANTS.map(([, overrides]) => documentOf(overrides)))
  expect(new Set(documents).size).toBe(VARIANTS.length)
})

interface Document {
  openapi: string
  info: { title?: string }
  paths: Record<string, Record<string, { operationId?: string }>>
}

/** A linter that finds nothing here either would prove nothing above. */
const BROKEN: [rule: string, spoil: (document: Document) => void][] = [
  ['struct', document => delete document.info.title],
  ['operation-operationId-unique', ({ paths }) => renameOperations(paths, 'same')],
  [
    'no-unresolved-refs',
    ({ paths }) => Object.assign(operation(paths), { requestBody: { $ref: '#/nowhere' } }),
  ],
  ['path-parameters-defined', ({ paths }) => Object.assign(paths, { '/a/{b}': { get: operation(paths) } })],
]

test.each(BROKEN)('a document that breaks %s fails the linter', async (rule, spoil) => {
  const document: Document = JSON.parse(await documentOf({}))
  expect(document.openapi).toMatch(/^3\.1\./)
  spoil(document)
  const found = await lint(JSON.stringify(document))
  expect(found.map(problem => problem.split(':')[0])).toContain(rule)
})

async function documentOf(overrides: Record<string, unknown>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'paysim-openapi-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'contract.json')
  await writeFile(file, JSON.stringify(overrides))
  const { code, stdout, stderr } = await runCommand(['openapi', '--contract', file], {
    cwd: directory,
    env: cleanEnvironment(directory),
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** Each problem as `rule: message at place`. */
async function lint(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, config, absoluteRef: 'merchant-api.json' })
  return problems.map(({ ruleId, severity, message, location }) => {
    const places = location.map(place => place.pointer ?? '').join(', ')
    return `${ruleId}: ${severity}: ${message} at ${places}`
  })
}

const operations = (paths: Document['paths']) => Object.values(paths).flatMap(path => Object.values(path))

function operation(paths: Document['paths']) {
  const [first] = operations(paths)
  if (!first) throw new Error('the document has no operation')
  return first
}

function renameOperations(paths: Document['paths'], operationId: string): void {
  for (const one of operations(paths)) one.operationId = operationId
}
