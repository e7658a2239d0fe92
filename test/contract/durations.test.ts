import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../src/contract/durations.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('a duration', () => {
  test.each([
    ['250ms', 250],
    ['0s', 0],
    ['5s', 5 * SECOND],
    ['10m', 10 * MINUTE],
    ['1h30m', 90 * MINUTE],
    ['24h', DAY],
    ['7d', 7 * DAY],
    ['1m1ms', MINUTE + 1],
    ['1.5h', 90 * MINUTE],
    ['0.1s', 100],
    ['PT5M', 5 * MINUTE],
    ['PT1H30M', 90 * MINUTE],
    ['PT0.25S', 250],
    ['P1D', DAY],
    ['P2W', 14 * DAY],
    ['36525d', 36_525 * DAY],
    ['P1DT12H', 36 * HOUR],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  test.each([
    '',
    '5',
    's',
    '-5s',
    '+5s',
    ' 5s',
    '5s ',
    '5 s',
    '5S',
    '5sec',
    '1w',
    '.5s',
    '5.s',
    '1e3s',
    '5s10',
    'P',
    'PT',
    'P5M5',
    'pt5m',
    'P1Y',
    'P1M',
    'PT-5M',
    '９s',
    `${'9'.repeat(30)}d`,
    '36526d',
    '36525d1ms',
    'Infinity',
  ])('%j is not a duration', text => {
    expect(parseDuration(text)).toBeUndefined()
  })
})

describe('formatting', () => {
  test.each([
    [0, '0s'],
    [1, '1ms'],
    [90 * MINUTE, '1h30m'],
    [DAY, '1d'],
    [72 * HOUR, '3d'],
    [DAY + HOUR + MINUTE + SECOND + 1, '1d1h1m1s1ms'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  test('reads back for every whole number of milliseconds up to a hundred years', () => {
    fc.assert(
      fc.property(fc.nat({ max: 36_525 * DAY }), ms => {
        expect(parseDuration(formatDuration(ms))).toBe(ms)
      }),
    )
  })
})

test('a sum of parts is the sum of their durations', () => {
  const part = fc.tuple(
    fc.nat(10_000),
    fc.constantFrom(['ms', 1], ['s', SECOND], ['m', MINUTE], ['h', HOUR] as const),
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), parts => {
      const text = parts.map(([count, [unit]]) => `${count}${unit}`).join('')
      expect(parseDuration(text)).toBe(parts.reduce((sum, [count, [, ms]]) => sum + count * Number(ms), 0))
    }),
  )
})
