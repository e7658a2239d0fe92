import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { filesBelow } from '../support/structure/files-below.ts'

/** Long before this a file should be read again: is it still one subject? */
const MOST_LINES = 300
/** Where length does no harm. */
const MAY_BE_LONG = new Set([
  // One register, on purpose in one place: it is read like a table.
  'src/contract/decisions.ts',
  // All methods that the library publishes, which is read like a table too.
  'src/client/control-client.ts',
])
/** Words that a file is named by when nobody knows what it is about: all ends up there. */
const EMPTY_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'manager', 'managers', 'common'])

const ours = [...filesBelow('src'), ...filesBelow('test')]

test(`no file of src/ has more than ${MOST_LINES} lines`, () => {
  const long = filesBelow('src')
    .map(path => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }))
    .filter(({ path, lines }) => lines > MOST_LINES && !MAY_BE_LONG.has(path))
    .map(({ path, lines }) => `${path}: ${lines}`)
  expect(long).toEqual([])
})

test('the names of files and folders say what they are about', () => {
  const empty = ours.filter(path => path.split(/[/.-]/).some(word => EMPTY_NAMES.has(word.toLowerCase())))
  expect(empty).toEqual([])
})

test('files and folders are named in kebab-case', () => {
  const others = ours.filter(path => !path.split('/').every(part => /^[a-z0-9]+([-.][a-z0-9]+)*$/.test(part)))
  expect(others).toEqual([])
})
