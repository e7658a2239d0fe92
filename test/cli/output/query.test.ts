import fc from 'fast-check'
import { expect, test } from 'vitest'
import { flatten } from '../../../src/cli/output/members.ts'
import { parsePath, QueryError, select } from '../../../src/cli/output/query.ts'

const body = {
  id: 'pi_1',
  amount: '100',
  next_action: { type: 'display_qr_code', qr_data: '0002' },
  receipt: null,
  data: [
    { id: 'a', banks: [{ code: 'x' }, { code: 'y' }] },
    { id: 'b', banks: [], failure: 'f' },
  ],
  'a b': { 'c.d': { '"': 1 } },
}
const read = (text: string) => select(parsePath(text), [body])

test.each<[path: string, values: unknown[]]>([
  ['id', ['pi_1']],
  ['.id', ['pi_1']],
  ['.', [body]],
  ['next_action.qr_data', ['0002']],
  ['data[0].id', ['a']],
  ['data[-1].id', ['b']],
  ['data[].id', ['a', 'b']],
  ['data[].banks[].code', ['x', 'y']],
  ['data[]["banks"][0].code', ['x', null]],
  ['["a b"]["c.d"]["\\""]', [1]],
  // What depends on the data is null, not a mistake.
  ['receipt.status', [null]],
  ['data[7]', [null]],
  ['data[7].id', [null]],
  ['data[].failure', [null, 'f']],
  ['receipt[].x', []],
])('%s', (path, values) => {
  expect(read(path)).toStrictEqual({ values })
})

test('flattening names each member by a path that finds it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), record => {
      for (const [path, value] of flatten(record)) {
        if (path === '') continue
        const [found] = select(parsePath(path), [record]).values
        const empty = typeof found === 'object' && found !== null && Object.keys(found).length === 0
        expect(empty && !Array.isArray(found) ? null : found).toEqual(value)
      }
    }),
  )
})

const faultOf = (path: string) => {
  try {
    return read(path).nowhere?.message
  } catch (error) {
    expect(error).toBeInstanceOf(QueryError)
    return (error as QueryError).message
  }
}

test.each([
  ['', 'expected a path, such as id or data[].id', ''],
  ['data..id', 'expected a name here: write a name with other characters as ["a b"]', '     ^'],
  ['data.', 'expected a name here: write a name with other characters as ["a b"]', '     ^'],
  ['data[', 'expected [], [number] or ["name"] here', '    ^'],
  ['data[x]', 'expected [], [number] or ["name"] here', '    ^'],
  ['["\\x"]', 'expected [], [number] or ["name"] here', '^'],
  ['data[]id', 'expected a dot or a bracket here', '      ^'],
  ['a b', 'expected a dot or a bracket here', ' ^'],
])('%j is not a path', (path, wrong, caret) => {
  expect(faultOf(path)).toBe(`${wrong}\n  ${path}\n  ${caret || '^'}`)
})

test.each([
  ['data[].idd', 'there is no idd here (did you mean id?): it has id, banks\n  data[].idd\n         ^'],
  ['next_action.zzz', 'there is no zzz here: it has type, qr_data\n  next_action.zzz\n              ^'],
  ['id.x', 'this is a string, which has no members\n  id.x\n     ^'],
  ['data.id', 'this is a list: use [] for all entries, or [0] for the first\n  data.id\n       ^'],
  ['next_action[0]', 'this is an object, not a list\n  next_action[0]\n             ^'],
  ['toString', expect.stringContaining('there is no toString here')],
])('%s leads nowhere', (path, message) => {
  expect(faultOf(path)).toEqual(message)
})

test('an optional member that is missing is null', () => {
  expect(select(parsePath('failure_code'), [body], ['failure_code'])).toEqual({ values: [null] })
  expect(select(parsePath('failure_code.x'), [body], ['failure_code'])).toEqual({ values: [null] })
})

test('escapes control characters in names from the server', () => {
  const { nowhere } = select(parsePath('x'), [{ '\u001b[2J': 1 }])
  expect(nowhere?.message).toContain(String.raw`["\u001b[2J"]`)
})
