import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokenJsonError, JsonParts } from '../../src/server/control/json-parts.ts'

/** The value of a text that is read in pieces of these lengths, put together from its parts. */
function readInPieces(text: string, lengths: readonly number[]): Record<string, unknown> {
  const parts = new JsonParts({ list: '[', map: '{' })
  const value: Record<string, unknown> = {}
  const take = (piece: string) => {
    for (const part of parts.read(piece)) {
      if (part.kind === 'member') Object.assign(value, JSON.parse(`{${part.text}}`))
      else if (part.kind === 'opened') value[part.name] = part.name === 'list' ? [] : {}
      else if (part.name === 'list') (value.list as unknown[]).push(JSON.parse(part.text))
      else Object.assign(value.map as object, JSON.parse(`{${part.text}}`))
    }
  }
  let from = 0
  for (const length of lengths) {
    take(text.slice(from, from + length))
    from += length
  }
  take(text.slice(from))
  parts.end()
  return value
}

const json = fc.jsonValue({ maxDepth: 3 })
const name = fc.string().filter(text => text !== '__proto__')
const objects = fc.record(
  {
    list: fc.oneof(fc.array(json), json),
    map: fc.oneof(fc.dictionary(name, json), json),
    'a "[{,': json,
    other: json,
  },
  { requiredKeys: [] },
)
const pieces = fc.array(fc.nat(20))

test('the parts of an object are the object, however it comes in', () => {
  fc.assert(
    fc.property(objects, pieces, fc.constantFrom(undefined, 2), (value, lengths, indent) => {
      expect(readInPieces(JSON.stringify(value, null, indent), lengths)).toEqual(
        JSON.parse(JSON.stringify(value)),
      )
    }),
  )
})

test('a text with one character changed is read as JSON.parse reads it, or refused', () => {
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
