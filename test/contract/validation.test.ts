import { Type } from '@sinclair/typebox'
import { describe, expect, test } from 'vitest'
import { validator } from '../../src/contract/validation.ts'

const closed = { additionalProperties: false }
const Body = Type.Object(
  {
    amount: Type.String({ pattern: '^[1-9]\\d*$', description: 'a positive integer' }),
    mode: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['hosted', 'merchant'] })),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 3 })),
    after: Type.Optional(Type.String({ format: 'duration' })),
    at: Type.Optional(Type.String({ format: 'date-time' })),
    code: Type.Optional(Type.String({ minLength: 2 })),
    count: Type.Optional(Type.Integer({ minimum: 1 })),
    customer: Type.Optional(
      Type.Object({ name: Type.String(), 'a/b~c': Type.Optional(Type.Null()) }, closed),
    ),
    list: Type.Optional(Type.Array(Type.String())),
  },
  closed,
)
const check = validator(Body)
const problemsOf = (value: unknown) => check(value).map(({ field, message }) => `${field} ${message}`)

describe('an error names its field and the broken rule', () => {
  test.each([
    [{}, 'amount is required'],
    [{ amount: 5 }, 'amount must be a string (a positive integer)'],
    [{ amount: ['5', '6'] }, 'amount must be a string, given once'],
    [
      { amount: '0' },
      'amount must be a positive integer in minor units, such as 150000, without a leading zero',
    ],
    [{ amount: '1', mode: 'hostd' }, 'mode must be one of hosted, merchant; did you mean hosted?'],
    [{ amount: '1', mode: 'zzz' }, 'mode must be one of hosted, merchant'],
    [{ amount: '1', mode: '' }, 'mode must be one of hosted, merchant'],
    [{ amount: '1', note: '' }, 'note must not be empty'],
    [{ amount: '1', note: 'four' }, 'note must have at most 3 characters'],
    [{ amount: '1', code: 'x' }, 'code must have at least 2 characters'],
    [{ amount: '1', after: 'soon' }, 'after must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M'],
    [{ amount: '1', count: 1.5 }, 'count must be an integer'],
    [{ amount: '1', customer: null }, 'customer must be an object'],
    [{ amount: '1', customer: {} }, 'customer.name is required'],
    [
      { amount: '1', customer: { name: 'A', nme: 'B' } },
      'customer.nme is not a known key; did you mean name?',
    ],
    [{ amount: '1', customer: { name: 'A', 'a/b~c': 1 } }, 'customer.a/b~c must be a null'],
    [{ amount: '1', list: ['a', 5, 'b'] }, 'list.1 must be a string'],
    [{ amount: '1', ammount: '1' }, 'ammount is not a known key; did you mean amount?'],
    [[], 'body must be an object'],
    [null, 'body must be an object'],
    ['text', 'body must be an object'],
  ])('%j', (value, message) => {
    expect(problemsOf(value)).toEqual([message])
  })

  test('explains the format of a date-time', () => {
    expect(problemsOf({ amount: '1', at: '2026-02-30T00:00:00Z' })[0]).toMatch(
      /^at must be an RFC 3339 date-time/,
    )
  })
})

test.each(['𝒳𝒳𝒳', '🇹🇭a'])('lengths count code points: %s has three', note => {
  expect(problemsOf({ amount: '1', note })).toEqual([])
  expect(problemsOf({ amount: '1', note: `${note}a` })).toHaveLength(1)
})

test('all errors are listed, each field once', () => {
  expect(
    problemsOf({ mode: 'x', note: '', customer: { nam: 1 }, other: 1 }).map(problem => problem.split(' ')[0]),
  ).toEqual(expect.arrayContaining(['amount', 'mode', 'note', 'customer.name', 'customer.nam', 'other']))
  expect(problemsOf({ amount: '', code: '' })).toHaveLength(2)
})

test('a form that fits is no problem beside a rule that is broken', () => {
  const forms = [Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]
  const either = Type.Unsafe({ ...Type.Union(forms), type: 'object', maxProperties: 1 })
  expect(validator(either)({ a: 'x', c: 1 })).toEqual([
    { field: 'body', message: 'must have at most 1 keys' },
  ])
})

test('at most fifty errors are named', () => {
  expect(problemsOf({ amount: '1', list: Array.from({ length: 100_000 }, () => 1) })).toHaveLength(50)
})

test('accepts valid values', () => {
  expect(problemsOf({ amount: '1', mode: 'hosted', customer: { name: '' }, list: [] })).toEqual([])
})

test('keys that objects inherit are unknown keys', () => {
  expect(problemsOf(JSON.parse('{"amount":"1","__proto__":{"mode":"x"}}'))).toEqual([
    '__proto__ is not a known key',
  ])
  expect(problemsOf(JSON.parse('{"amount":"1","constructor":1}'))).toEqual(['constructor is not a known key'])
})
