import { describe, expect, test } from 'vitest'
import { spellTime, timeLeft } from '../../src/contract/durations.ts'

describe('timeLeft', () => {
  test.each([
    [1_800_000, '30:00'],
    [1_799_001, '30:00'],
    [1_799_000, '29:59'],
    [59_000, '0:59'],
    [1, '0:01'],
    [0, '0:00'],
    [-5000, '0:00'],
    [3_600_000, '1:00:00'],
    [86_400_000, '24:00:00'],
    [86_401_000, '1 day 1 second'],
    [259_200_000, '3 days'],
  ])('%d ms are %s', (ms, face) => {
    expect(timeLeft(ms, 'en')).toBe(face)
  })
})

describe('spellTime', () => {
  test.each([
    [30_000, 'en', '30 seconds'],
    [1000, 'en', '1 second'],
    [0, 'en', '0 seconds'],
    [-1, 'en', '0 seconds'],
    [90_000, 'en', '1 minute 30 seconds'],
    [259_200_000, 'en', '3 days'],
    [259_205_000, 'en', '3 days 5 seconds'],
    [30_000, 'th-TH', '30 วินาที'],
  ])('%d ms in %s are %s', (ms, locale, words) => {
    expect(spellTime(ms, locale)).toBe(words)
  })
})
