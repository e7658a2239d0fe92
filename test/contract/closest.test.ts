import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closest } from '../../src/contract/closest.ts'

const WORDS = ['outcome', 'receipt', 'action', 'cancel', 'expiry', 'match', 'not', 'times', 'name']

describe('the word that was meant', () => {
  test.each([
    ['outcom', 'outcome'],
    ['outcomes', 'outcome'],
    ['OUTCOME', 'outcome'],
    ['reciept', 'receipt'],
    ['atcion', 'action'],
    ['tiems', 'times'],
    ['cancle', 'cancel'],
    ['nmae', 'name'],
    ['nto', 'not'],
  ])('%s means %s', (given, meant) => {
    expect(closest(given, WORDS)).toBe(meant)
  })

  test.each(['zebra', 'webhooks', 'x'.repeat(40), '12345'])('%s means none of them', given => {
    expect(closest(given, WORDS)).toBeUndefined()
  })

  test('is undefined without words', () => {
    expect(closest('outcome', [])).toBeUndefined()
  })

  test('is the word itself, if it is there', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 1 }),
        fc.nat(),
        (words, at) => {
          const word = words[at % words.length] ?? ''
          expect(closest(word, words)).toBe(word)
        },
      ),
    )
  })

  test('is found despite any single typing error', () => {
    const slip = fc.tuple(fc.constantFrom('drop', 'double', 'swap', 'replace'), fc.nat(5))
    fc.assert(
      fc.property(
        fc.constantFrom('merchant_reference', 'checkout_mode', 'customer'),
        slip,
        (word, [kind, at]) => {
          const slips: Record<string, string> = {
            drop: word.slice(0, at) + word.slice(at + 1),
            double: word.slice(0, at + 1) + word.slice(at),
            swap: word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
            replace: `${word.slice(0, at)}#${word.slice(at + 1)}`,
          }
          expect(closest(slips[kind] ?? '', ['customer', 'checkout_mode', 'merchant_reference'])).toBe(word)
        },
      ),
    )
  })
})
