import { describe, expect, test } from 'vitest'
import { isCountry } from '../../src/contract/currencies.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const PAIRS = LETTERS.flatMap(first => LETTERS.map(second => first + second))

describe('isCountry', () => {
  test('knows the 249 officially assigned codes', () => {
    expect(PAIRS.filter(isCountry)).toHaveLength(249)
  })

  test('names only codes that the platform can name', () => {
    const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
    expect(PAIRS.filter(code => isCountry(code) && names.of(code) === undefined)).toEqual([])
  })

  test.each(['TH', 'VN', 'ID', 'PH', 'MY', 'US', 'AX', 'BQ', 'SS', 'ZW'])('%s is a country', code => {
    expect(isCountry(code)).toBe(true)
  })

  // exceptionally or transitionally reserved, user-assigned, withdrawn, and what is no code at all
  test.each([
    'UK',
    'EU',
    'UN',
    'AN',
    'CS',
    'SU',
    'YU',
    'XK',
    'ZZ',
    'AA',
    'QM',
    'th',
    'THA',
    'T',
    '',
    'constructor',
  ])('"%s" is not a country', code => {
    expect(isCountry(code)).toBe(false)
  })
})
