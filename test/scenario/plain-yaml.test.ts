import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CreateNodeOptions, type DocumentOptions, stringify, type ToStringOptions } from 'yaml'
import { plainYaml } from '../../src/files/plain-yaml.ts'
import { readYaml } from '../../src/files/yaml-document.ts'

// Two readers read scenarios: they must read the same values.

const otherwise = (text: string) => {
  const { document } = readYaml(text, { merge: true })
  return document.errors.length > 0 ? undefined : { value: document.toJS({ maxAliasCount: 1000 }) }
}

const styles = fc.record<CreateNodeOptions & DocumentOptions & ToStringOptions>({
  collectionStyle: fc.constantFrom('any', 'block', 'flow'),
  defaultStringType: fc.constantFrom(
    'PLAIN',
    'QUOTE_SINGLE',
    'QUOTE_DOUBLE',
    'BLOCK_LITERAL',
    'BLOCK_FOLDED',
  ),
  lineWidth: fc.constantFrom(0, 20, 80),
  indent: fc.constantFrom(2, 5),
  indentSeq: fc.boolean(),
})

test('any value that is written as YAML, with aliases for what it has twice', () => {
  let plain = 0
  fc.assert(
    fc.property(fc.jsonValue(), styles, (value, style) => {
      const text = stringify({ first: value, list: [value, 'x: y', '# z', ' ', '1', 'null'] }, style)
      const read = plainYaml(text)
      if (!read) return
      plain += 1
      expect(read).toEqual(otherwise(text))
    }),
    { numRuns: 300 },
  )
  expect(plain).toBeGreaterThan(200)
})

test.each([
  ...[
    '0o17',
    '0x1F',
    '0b11',
    '1_000',
    '+1',
    '-0',
    '.5',
    '1.',
    '1e3',
    '.inf',
    '.NaN',
    '007',
    '12345678901234567890',
  ],
  ...[
    '~',
    'null',
    'NULL',
    '',
    'True',
    'yes',
    'off',
    '2026-01-01',
    '1:30',
    '=',
    '-',
    '- -1',
    '!!str 5',
    '!!int "5"',
  ],
  ...[
    '|\n  a\n  b',
    '>\n  a\n  b\n\n  c',
    '>-\n  a',
    '|+\n  a\n\n',
    "'it''s'",
    'a # c',
    'a#b',
    '"a\n  b"',
    '"\\u0041"',
  ],
  ...[
    '[1, 2,]',
    '{a: 1, b}',
    '[a: 1, b]',
    '{"a":b}',
    '{a:b}',
    '? a\n: b',
    '1.0: x',
    '0x10: x',
    'true: x',
    'a : b',
  ],
  ...[
    '<<: {a: 1}\nb: 2',
    '"<<": {a: 1}',
    '<<: [{a: 1}, {b: 2}]\nb: 3',
    '__proto__: 1',
    'a: &x 1\nb: *x',
    '# only',
  ],
  ...[
    '---\na: 1\n...',
    'a: 1\n---\nb',
    '%YAML 1.1\n---\na: yes',
    '\ufeffa: 1',
    'a:\tb',
    '\ta: 1',
    'a: 1\na: 2',
    '[a',
  ],
])('%j', text => {
  for (const whole of [text, `- ${text.replaceAll('\n', '\n  ')}`, `[${text}]`]) {
    const read = plainYaml(whole)
    if (read) expect(read).toStrictEqual(otherwise(whole))
  }
})

test('aliases that would multiply a value are left to the reader that counts what they make', () => {
  const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(of).join(', ')}]\n`
  const bomb = level('a', 'x') + level('b', '*a') + level('c', '*b') + level('d', '*c')
  expect(plainYaml(bomb)).toBeUndefined()
  expect(plainYaml(level('a', 'x') + level('b', '*a'))).toBeDefined()
})
