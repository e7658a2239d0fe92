import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RepeatedParts } from '../../src/domain/stored-form.ts'

test('a name gives its part back, and equal parts have one name', () => {
  const value = fc.oneof(fc.nat(2), fc.constant(null), fc.array(fc.nat(1), { maxLength: 2 }))
  const part = fc.dictionary(fc.constantFrom('a', 'b'), value, { noNullPrototype: true })
  const titled = fc.tuple(part, fc.constantFrom('one', 'two'))
  fc.assert(
    fc.property(fc.array(titled, { size: 'max', maxLength: 30 }), all => {
      const parts = new RepeatedParts()
      const names = new Map<string, string>()
      for (const [part, title] of all) {
        const name = parts.nameOf(part, title)
        expect(parts.part(name)).toEqual(part)
        const text = JSON.stringify(part)
        expect(name).toBe(names.get(text) ?? name)
        names.set(text, name)
      }
      expect(Object.keys(parts.all)).toHaveLength(names.size)
      expect(new RepeatedParts(parts.all).all).toEqual(parts.all)
    }),
  )
})
