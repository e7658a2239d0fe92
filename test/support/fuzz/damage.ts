import type { Chance } from './chance.ts'

/** Texts and values with something wrong in them. */

const TOKENS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    "'",
    '\\',
    '\n',
    '\r\n',
    '\t',
    ' ',
    '\0',
    '-',
    '- ',
    '#',
    '&a ',
    '*a',
    '<<: *a',
  ],
  ...['null', 'true', '0', '-1', '1e999', '99999999999999999999', '0.1', 'NaN', '__proto__', 'constructor'],
  ...['${', '${run}', '${x.y}', '!!js/function', '!!binary ', '|', '>', '---', '...', '%YAML 9.9', '\ufeff'],
  ...[
    '\u2028',
    '\ud800',
    '\\ud800',
    'é',
    '😀',
    '../',
    '/etc/passwd',
    'a'.repeat(300),
    '['.repeat(200),
    '%00',
    '%',
  ],
]

export function damagedText(chance: Chance, text: string, others: readonly string[] = []): string {
  let damaged = text
  for (let times = 1 + chance.below(4); times > 0; times--) {
    const at = chance.below(damaged.length + 1)
    const length = chance.below(chance.is(0.2) ? 400 : 12)
    const [before, after] = [damaged.slice(0, at), damaged.slice(at)]
    switch (chance.below(7)) {
      case 0:
        damaged = before + chance.of(TOKENS) + after
        break
      case 1:
        damaged = before + after.slice(length)
        break
      case 2:
        damaged = before + after.slice(0, length) + after
        break
      case 3:
        damaged = before
        break
      case 4:
        damaged = before + String.fromCharCode(chance.below(0x250)) + after.slice(1)
        break
      case 5: {
        const other = others.length > 0 ? chance.of(others) : damaged
        const from = chance.below(other.length + 1)
        damaged = before + other.slice(from, from + chance.below(300)) + after
        break
      }
      default: {
        const lines = damaged.split('\n')
        const [moved = ''] = lines.splice(chance.below(lines.length), 1)
        lines.splice(chance.below(lines.length + 1), 0, moved)
        damaged = lines.join('\n')
      }
    }
  }
  return damaged
}

export function damagedBytes(chance: Chance, bytes: Buffer): Buffer {
  const damaged = Buffer.from(bytes)
  for (let times = 1 + chance.below(3); times > 0 && damaged.length > 0; times--)
    damaged[chance.below(damaged.length)] = chance.below(256)
  return chance.is(0.3) ? damaged.subarray(0, chance.below(damaged.length + 1)) : damaged
}

const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    1e21,
    Number.MAX_SAFE_INTEGER,
    '',
    ' ',
    'x',
    '0',
    '-1',
    '1',
    '100',
    '999999999999',
  ],
  ...[
    '5s',
    '-5s',
    '1x',
    'PT5M',
    '99999d',
    '2026-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '0000-01-01T00:00:00Z',
    'THB',
    'th',
  ],
  ...[
    '../x',
    'a b',
    'é',
    '\u0000',
    '\ud800',
    '*',
    'order-*',
    '(?:a+)+$',
    '__proto__',
    'x'.repeat(2000),
    [],
    [[]],
    {},
    { a: {} },
  ],
]

export const someValue = (chance: Chance): unknown => chance.of(VALUES)

/** The value with one to three members replaced, removed, added or doubled, at any depth. */
export function damagedValue(chance: Chance, value: unknown): unknown {
  const copy = structuredClone(value)
  for (let times = 1 + chance.below(3); times > 0; times--) {
    const places: { holder: object; key: string | number }[] = []
    collect(copy, places)
    if (places.length === 0) return someValue(chance)
    const { holder, key } = chance.of(places)
    const own = Reflect.get(holder, key)
    const other = chance.of(places)
    // Clones, because a value that contains itself is not JSON.
    const changes = [
      () => Reflect.deleteProperty(holder, key),
      () => Reflect.set(holder, `${key}x`, someValue(chance)),
      () => Reflect.set(holder, key, [own, structuredClone(own)]),
      () => Reflect.set(holder, key, structuredClone(Reflect.get(other.holder, other.key))),
      () => Reflect.set(holder, key, structuredClone(someValue(chance))),
    ]
    chance.of(changes)()
  }
  return copy
}

function collect(value: unknown, places: { holder: object; key: string | number }[], depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > 12 || places.length > 5000) return
  for (const [key, inner] of Object.entries(value)) {
    places.push({ holder: value, key })
    collect(inner, places, depth + 1)
  }
}
