import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { inlineYaml } from '../../../src/cli/commands/sim/tables.ts'

const word = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '5s',
    '1h30m',
    'true',
    'no',
    '100000',
    '0x1f',
    '1e3',
    '*',
    'order-*',
    '- a',
    'a: b',
    ' # c',
    '~',
    '.5',
    '.inf',
    'a #b',
    'a ',
    '',
  ),
)
const value = fc.letrec(tie => ({
  any: fc.oneof({ depthSize: 'small' }, word, fc.integer(), fc.boolean(), tie('list'), tie('map')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  // YAML reads this key as the prototype: no rule has it.
  map: fc.dictionary(
    word.filter(name => name !== '__proto__'),
    tie('any'),
    { maxKeys: 4, noNullPrototype: true },
  ),
})).any

test('parses as YAML with the same value', () => {
  fc.assert(
    fc.property(value, data => {
      expect(parse(inlineYaml(data))).toEqual(data)
    }),
    { numRuns: 500 },
  )
})

test('inline YAML looks as people write it', () => {
  const rule = {
    kind: 'payment',
    amount: { gte: '100000' },
    merchant_reference: 'order-*',
    after: '1h30m',
    nth: 2,
  }
  expect(inlineYaml(rule)).toBe(
    '{ kind: payment, amount: { gte: "100000" }, merchant_reference: "order-*", after: 1h30m, nth: 2 }',
  )
})
