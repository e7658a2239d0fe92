import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatTimestamp, parseTimestamp } from '../../src/contract/timestamps.ts'

const two = (value: number) => String(value).padStart(2, '0')
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const lengths = (year: number) => [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Days counted one year and one month at a time, from 1970. */
function daysBefore(year: number, month: number): number {
  let days = 0
  for (let each = 1970; each < year; each++) days += isLeap(each) ? 366 : 365
  for (let each = year; each < 1970; each++) days -= isLeap(each) ? 366 : 365
  return (
    days +
    lengths(year)
      .slice(0, month - 1)
      .reduce((sum, length) => sum + length, 0)
  )
}

const moments = fc.record({
  year: fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(1900, 2000, 2024, 2100)),
  month: fc.integer({ min: 1, max: 12 }),
  day: fc.integer({ min: 1, max: 31 }),
  hour: fc.nat(23),
  minute: fc.nat(59),
  second: fc.nat(59),
  fraction: fc.option(fc.stringMatching(/^\d{1,9}$/), { nil: undefined }),
  offset: fc.option(fc.tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59)), { nil: null }),
})

describe('a timestamp', () => {
  test('agrees with a plain count of days, in leap years, with any offset and any fraction', () => {
    fc.assert(
      fc.property(moments, ({ year, month, day, hour, minute, second, fraction, offset }) => {
        const zone = offset ? `${offset[0]}${two(offset[1])}:${two(offset[2])}` : 'Z'
        const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
        const text = `${date}T${two(hour)}:${two(minute)}:${two(second)}${fraction === undefined ? '' : `.${fraction}`}${zone}`
        const exists = day <= (lengths(year)[month - 1] ?? 0)
        const offsetMinutes = offset ? (offset[0] === '-' ? -1 : 1) * (offset[1] * 60 + offset[2]) : 0
        const minutes = (daysBefore(year, month) + day - 1) * 1440 + hour * 60 + minute - offsetMinutes
        // Whole milliseconds, and one more where anything is left.
        const digits = (fraction ?? '').padEnd(3, '0')
        const ms = Number(digits.slice(0, 3)) + (/[1-9]/.test(digits.slice(3)) ? 1 : 0)
        const expected = exists ? (minutes * 60 + second) * 1000 + ms : undefined
        expect([text, parseTimestamp(text)]).toEqual([text, expected])
      }),
      { numRuns: 2000 },
    )
  })

  test('reads back as it was written', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0000-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        date => {
          expect(parseTimestamp(formatTimestamp(date.getTime()))).toBe(date.getTime())
        },
      ),
    )
  })

  test.each([
    [
      'every millisecond',
      Array.from({ length: 1000 }, (_, ms) => [String(ms).padStart(3, '0'), ms] as const),
    ],
    [
      'what is finer is rounded up',
      [
        ['0001', 1],
        ['0010', 1],
        ['00100001', 2],
        ['999000001', 1000],
        ['9999', 1000],
      ] as const,
    ],
  ])('%s', (_, fractions) => {
    for (const [digits, ms] of fractions)
      expect([digits, parseTimestamp(`1970-01-01T00:00:00.${digits}Z`)]).toEqual([digits, ms])
  })

  test.each([
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01',
    '2026-01-01 00:00:00Z',
    '2026-01-01t00:00:00z',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00,5Z',
    '2026-01-01T00:00:00+0700',
    '2026-01-01T00:00:00+07',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+07:60',
    '2026-01-01T00:00:00 07:00',
    '26-01-01T00:00:00Z',
    '+02026-01-01T00:00:00Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '1767225600000',
    '',
  ])('%j is not a timestamp', text => {
    expect(parseTimestamp(text)).toBeUndefined()
  })
})
