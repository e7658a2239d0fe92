import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, onTestFinished, test } from 'vitest'
import { controlDocument } from '../../src/contract/openapi/control-document.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import { runBinary } from '../support/gateway/server.ts'

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
    const found = await lint(JSON.stringify(document))
    // A browser is let in by a redirect, which the linter does not count as a success.
    expect(found.filter(problem => !problem.includes('/paths/~1dashboard~1sign-in/get'))).toEqual([])
  },
)

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
  const { code, stdout, stderr } = await runBinary(['openapi', '--contract', file])
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
