import { expect, test } from 'vitest'
import { controlDocument } from '../../src/contract/openapi/control-document.ts'
import { openApiDocument } from '../../src/contract/openapi/document.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'

/**
 * Both OpenAPI documents, byte for byte as others generate clients from them. Whoever changes the wire sees here what
 * they will see: `npx vitest run test/contract/published-documents.test.ts -u` accepts it.
 */

const CONTRACT = resolveContract({})

test('the document of the merchant API is the published one', async () => {
  const document = openApiDocument(CONTRACT, 'http://127.0.0.1:7297')
  await expect(text(document)).toMatchFileSnapshot('published/merchant-api.txt')
})

test('the document of the control surface is the published one', async () => {
  const document = controlDocument(CONTRACT, 'http://127.0.0.1:7297/_paysim')
  await expect(text(document)).toMatchFileSnapshot('published/control-api.txt')
})

/** One line for each operation and each schema, in their order, so that a difference names what changed. */
function text({ paths, components, ...head }: Readonly<Record<string, unknown>>): string {
  return [head, ...entries(paths), ...Object.values(Object(components)).flatMap(entries)]
    .map(line => `${JSON.stringify(line)}\n`)
    .join('')
}

const entries = (members: unknown) => Object.entries(Object(members))
