import { describe, expect, test } from 'vitest'
import { match, OPERATORS } from '../../src/scenario/expect/match.ts'
import { matchList } from '../../src/scenario/expect/match-answer.ts'

// What an expectation means: the same expectation, a value that it holds for, and one that it does not.

const RECORD = {
  status: 'pending',
  receipt: { status: 'required' },
  next_action: null,
  data: [{ id: 1 }, { id: 2 }],
}
const TIME = '2030-01-01T00:00:00Z'

const CASES: [what: string, expected: unknown, holds: unknown, fails: unknown][] = [
  ['a text', 'a', 'a', 'A'],
  ['a text is not a number', '1', '1', 1],
  ['null', null, null, undefined],
  ['false', false, false, null],
  ['a member', { status: 'pending' }, RECORD, { ...RECORD, status: 'failed' }],
  ['a path', { 'receipt.status': 'required' }, RECORD, { receipt: { status: 'submitted' } }],
  ['a member of a member', { receipt: { status: 'required' } }, RECORD, { receipt: null }],
  ['null is there', { next_action: null }, RECORD, { status: 'x' }],
  ['an item', { 'data.1.id': 2 }, RECORD, { data: [{ id: 2 }] }],
  ['a length', { 'data.length': 2 }, RECORD, { data: [] }],
  ['nothing inherited', { constructor: { $present: false } }, {}, { constructor: 1 }],
  ['a list, item by item', [{ id: 1 }, { id: 2 }], RECORD.data, [{ id: 2 }, { id: 1 }]],
  ['a list, and no more', [{ id: 1 }], [{ id: 1, x: 1 }], RECORD.data],
  ['an empty list', [], [], [1]],
  ['an object that says nothing', {}, { a: 1 }, undefined],
  ['$like', { $like: 'order-*' }, 'order-1', 'my order-1'],
  ['$like over lines', { $like: '*b*' }, 'a\nb\nc', 'a\nc'],
  ['$like one character', { $like: 'a?c.' }, 'abc.', 'abcd'],
  ['$like of no text', { $like: '*' }, '', 1],
  ['$matches', { $matches: '^\\d+$' }, '123', '12a'],
  ['$present', { a: { $present: true } }, { a: null }, {}],
  ['$present: false', { a: { $present: false } }, {}, { a: null }],
  ['$in', { $in: ['a', 'b'] }, 'b', 'c'],
  ['$not', { $not: 'a' }, 'b', 'a'],
  ['$not of a path', { $not: { a: 1 } }, { a: 2 }, { a: 1 }],
  ['$length', { $length: 2 }, [1, 2], [1]],
  ['$length of a text, in characters', { $length: 1 }, '😀', '😀!'],
  ['$length within', { $length: { $gte: 2 } }, [1, 2], [1]],
  ['$length of nothing', { $length: 0 }, '', null],
  ['$has', { $has: { id: 2 } }, RECORD.data, [{ id: 3 }]],
  ['$has of no list', { $has: 'a' }, ['a'], 'a'],
  ['$each', { $each: { id: { $gt: 0 } } }, RECORD.data, [{ id: 1 }, { id: 0 }]],
  ['$each of nothing', { $each: 1 }, [1], []],
  ['$count', { $count: { of: 'a', is: 2 } }, ['a', 'b', 'a'], ['a', 'b']],
  ['$same', { $same: 'a.b' }, [{ a: { b: 1 } }, { a: { b: 1 } }], [{ a: { b: 1 } }, { a: { b: 2 } }]],
  ['$same of what is not there', { $same: 'a' }, [{ a: 1 }], [{ b: 1 }]],
  ['$unique', { $unique: 'id' }, RECORD.data, [{ id: 1 }, { id: 1 }]],
  ['$gt', { $gt: 1 }, 2, 1],
  ['$gte', { $gte: 1 }, 1, 0],
  ['$lt', { $lt: '9007199254740993' }, '9007199254740992', '9007199254740993'],
  ['$lte', { $lte: '10' }, '9', '11'],
  [
    'an order of times, in any spelling',
    { $gt: TIME },
    '2030-01-01T07:00:01+07:00',
    '2030-01-01T07:00:00+07:00',
  ],
  ['an order of what has none', { $gt: 1 }, 2, 'many'],
  ['several operators', { $gt: 1, $lt: 3 }, 2, 3],
]

test.each(CASES)('%s', (_, expected, holds, fails) => {
  expect(match(expected, holds, '', [])).toEqual([])
  expect(match(expected, fails, '', [])).not.toEqual([])
})

test('the cases cover every operator', () => {
  const tried = new Set(CASES.map(([what]) => what.split(' ')[0]?.replace(':', '')))
  for (const name of Object.keys(OPERATORS)) expect(tried).toContain(name)
})

test('a mismatch has its path in the file and in the value', () => {
  const [found] = match({ receipt: { status: 'x' } }, RECORD, 'body', ['expect', 'body'])
  expect(found).toEqual({
    path: ['expect', 'body', 'receipt', 'status'],
    subject: 'body.receipt.status',
    expected: 'x',
    actual: 'required',
  })
})

const WORDS = ['a', 'b', 'c'].map(type => ({ type, big: type > 'a' }))

describe('a list', () => {
  const LISTS: [what: string, holds: object, fails: object][] = [
    ['exactly', { exactly: ['a', 'b', { type: 'c' }] }, { exactly: ['a', 'c', 'b'] }],
    ['exactly so many', { exactly: ['a', 'b', 'c'] }, { exactly: ['a', 'b'] }],
    [
      'exactly, in any order',
      { exactly: ['c', 'a', 'b'], 'any order': true },
      { exactly: ['c', 'a', 'a'], 'any order': true },
    ],
    ['included, in order', { include: ['a', 'c'] }, { include: ['c', 'a'] }],
    [
      'included, in any order',
      { include: ['c', 'a'], 'any order': true },
      { include: ['c', 'd'], 'any order': true },
    ],
    [
      'included once each',
      { include: [{ big: true }, { big: true }] },
      { include: [{ big: true }, { big: true }, { big: true }] },
    ],
    [
      'any order finds the pairs that there are',
      { exactly: [{ big: true }, 'b', 'a'], 'any order': true },
      { exactly: [{ big: true }, 'b', 'b'], 'any order': true },
    ],
    ['counted', { count: 3 }, { count: 2 }],
    ['counted within', { count: { $gt: 2 } }, { count: { $lt: 3 } }],
    ['none like this', { none: 'd' }, { none: { big: true } }],
  ]
  test.each(LISTS)('%s', (_, holds, fails) => {
    expect(matchList(WORDS, holds, 'type', 'words').mismatches).toEqual([])
    expect(matchList(WORDS, fails, 'type', 'words').mismatches).not.toEqual([])
  })

  test('none at all', () => {
    expect(matchList([], { none: true }, 'type', 'words').mismatches).toEqual([])
    expect(matchList(WORDS, { none: true }, 'type', 'words').mismatches).toHaveLength(1)
  })
})
