import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokenJsonError, JsonParts, type Part } from '../../src/server/control/read-archive.ts'

/** Each part is JSON by itself. */
function expectWhole({ kind, text, ...of }: Exclude<Part, { kind: 'opened' }>): void {
  const isValue = kind === 'item' && 'name' in of && of.name === 'list'
  JSON.parse(isValue ? text : `{${text}}`)
}

/** The value of a text that is read in pieces of these lengths, put together from its parts. */
function readInPieces(text: string, lengths: readonly number[]): unknown {
  const parts = new JsonParts({ list: '[', map: '{' })
  const members: string[] = []
  const items: Record<string, string[]> = {}
  const closeItems = () => {
    for (const name of Object.keys(items)) {
      const inside = items[name]?.join() ?? ''
      members.push(name === 'list' ? `"list":[${inside}]` : `"map":{${inside}}`)
      delete items[name]
    }
  }
  const take = (piece: string) => {
    for (const part of parts.read(piece)) {
      if (part.kind !== 'opened') expectWhole(part)
      if (part.kind === 'item') {
        items[part.name]?.push(part.text)
        continue
      }
      closeItems()
      if (part.kind === 'member') members.push(part.text)
      else items[part.name] = []
    }
  }
  let from = 0
  for (const length of lengths) {
    take(text.slice(from, from + length))
    from += length
  }
  take(text.slice(from))
  parts.end()
  closeItems()
  return JSON.parse(`{${members.join()}}`)
}

const json = fc.jsonValue({ maxDepth: 3 })
const objects = fc.record(
  {
    list: fc.oneof(fc.array(json), json),
    map: fc.oneof(fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), json), json),
    'a "[{,': json,
    other: json,
  },
  { requiredKeys: [] },
)
const pieces = fc.array(fc.nat(20))

test('the parts of an object make up the object, whatever its pieces', () => {
  fc.assert(
    fc.property(objects, pieces, fc.constantFrom(undefined, 2), (value, lengths, indent) => {
      expect(readInPieces(JSON.stringify(value, null, indent), lengths)).toEqual(
        JSON.parse(JSON.stringify(value)),
      )
    }),
  )
})

test('a text with one changed character is read as JSON.parse reads it, or refused', () => {
  fc.assert(
    fc.property(
      objects,
      pieces,
      fc.nat(),
      fc.constantFrom('', '"', '\\', '[', ']', '{', '}', ',', ':', '0', ' '),
      (value, lengths, at, character) => {
        const whole = JSON.stringify(value)
        const place = at % whole.length
        const text = whole.slice(0, place) + character + whole.slice(place + 1)
        const attempt = (read: () => unknown) => {
          try {
            return { value: read() }
          } catch (error) {
            if (error instanceof SyntaxError || error instanceof BrokenJsonError) return 'refused'
            throw error
          }
        }
        const parsed = attempt(() => JSON.parse(text))
        const isObject =
          typeof parsed === 'object' && typeof parsed.value === 'object' && !Array.isArray(parsed.value)
        expect(attempt(() => readInPieces(text, lengths))).toEqual(
          isObject && parsed.value !== null ? parsed : 'refused',
        )
      },
    ),
    { numRuns: 2000 },
  )
})
