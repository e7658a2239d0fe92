import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { controlOperations } from '../../src/contract/control/operations.ts'

const PAGE = new URL('../../docs/control.md', import.meta.url)

test('docs/control.md has a row for each call of the control surface, and no other rows', () => {
  const calls = Object.keys(controlOperations('any'))
  expect(documented()).toEqual(calls.map(withoutNames).sort())
})

/** The rows of its tables that begin with a call. */
function documented(): string[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| `((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)` \|/gm)
  return [...rows].map(([, call = '']) => withoutNames(call)).sort()
}

/** What a place in a path is called is a matter of taste. */
const withoutNames = (call: string) => call.replace(/:\w+|\{\w+\}/g, '{}')
