import { expect, test } from 'vitest'
import { isRecord } from '../../src/contract/json.ts'
import { controlDocument } from '../../src/contract/openapi/control-document.ts'
import { openApiDocument } from '../../src/contract/openapi/document.ts'
import { NOT_BLANK, patternWords } from '../../src/contract/pattern-words.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import { jsonSchema } from '../../src/scenario/json-schema.ts'

/** All patterns of a document, wherever they are in it. */
function* patternsIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* patternsIn(item)
  if (!isRecord(value)) return
  if (typeof value.pattern === 'string') yield value.pattern
  for (const member of Object.values(value)) yield* patternsIn(member)
}

test.each([
  ['the merchant API', () => openApiDocument(resolveContract({}), 'http://127.0.0.1:7297')],
  ['the control surface', () => controlDocument(resolveContract({}), 'http://127.0.0.1:7297/_paysim')],
  ['a scenario', () => jsonSchema()],
])('every pattern of %s has words', (_, document) => {
  const patterns = [...new Set(patternsIn(document()))]
  expect(patterns.length).toBeGreaterThan(3)
  expect(patterns.filter(pattern => pattern !== NOT_BLANK && patternWords(pattern) === undefined)).toEqual([])
})
