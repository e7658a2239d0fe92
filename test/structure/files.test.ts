import { expect, test } from 'vitest'
import { filesBelow } from '../support/structure/files-below.ts'

/** Words that a file is named by when nobody knows what it is about: all ends up there. */
const EMPTY_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'manager', 'managers', 'common'])

const ours = [...filesBelow('src'), ...filesBelow('test')]

test('the names of files and folders say what they are about', () => {
  const empty = ours.filter(path => path.split(/[/.-]/).some(word => EMPTY_NAMES.has(word.toLowerCase())))
  expect(empty).toEqual([])
})

test('files and folders are named in kebab-case', () => {
  const others = ours.filter(path => !path.split('/').every(part => /^[a-z0-9]+([-.][a-z0-9]+)*$/.test(part)))
  expect(others).toEqual([])
})
