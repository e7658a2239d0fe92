import { Chalk } from 'chalk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMoney } from '../../../src/cli/output/members.ts'
import { paintStatus, visible, visibleLines } from '../../../src/cli/output/text.ts'
import { localTime, relativeTime, showTime } from '../../../src/cli/output/time.ts'
import { screenOf } from '../../support/cli/screen-of.ts'

test.each([
  ['123450', 'THB', '1,234.50 THB'],
  ['5', 'THB', '0.05 THB'],
  ['5000000', 'VND', '5,000,000 VND'],
  ['1234567', 'KWD', '1,234.567 KWD'],
  ['100000000000000000000000001', 'THB', '1,000,000,000,000,000,000,000,000.01 THB'],
  ['-123450', 'THB', '-1,234.50 THB'],
  // No exponent is known for these: the digits are not moved.
  ['123450', 'POINTS', '123,450 minor POINTS'],
  ['12.5', 'THB', '12.5 THB'],
  [undefined, 'THB', 'THB'],
  [{ value: 1 }, 7, '{"value":1}'],
])('%j of %j is %s', (amount, currency, shown) => {
  expect(formatMoney(amount, currency)).toBe(shown)
})

test.each([
  ['Asia/Bangkok', '2026-11-21T15:40:03.999Z', '2026-11-21 22:40:03 +07:00'],
  ['America/St_Johns', '2026-01-01T00:00:00Z', '2025-12-31 20:30:00 -03:30'],
  // Either side of a change of the clocks.
  ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29 01:59:59 +01:00'],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29 03:00:00 +02:00'],
  ['UTC', '2026-06-01T12:00:00Z', '2026-06-01 12:00:00 +00:00'],
])('in %s %s is %s', (timeZone, timestamp, shown) => {
  expect(localTime(Date.parse(timestamp), timeZone)).toBe(shown)
})

test("formats times in the machine's zone as if it were named", () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const since1970 = fc.date({ min: new Date('1970-01-02'), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(since1970, date => {
      expect(localTime(date.getTime(), '')).toBe(localTime(date.getTime(), timeZone))
    }),
  )
})

const SECOND = 1000
const DAY = 86_400 * SECOND
test.each([
  [0, 'now'],
  [-999, 'now'],
  [-1 * SECOND, '1 second ago'],
  [119 * SECOND, 'in 119 seconds'],
  [120 * SECOND, 'in 2 minutes'],
  [-119 * 60 * SECOND, '119 minutes ago'],
  [-47 * 3600 * SECOND, '47 hours ago'],
  [3 * DAY, 'in 3 days'],
  [3 * DAY - SECOND, 'in 3 days'],
  [3 * DAY + 5 * 3600 * SECOND, 'in 3 days'],
  [2 * DAY - SECOND, 'in 2 days'],
  [2 * 3600 * SECOND - SECOND, 'in 2 hours'],
  [90 * 60 * SECOND, 'in 90 minutes'],
  [119_700, 'in 2 minutes'],
  [1400, 'in 1 second'],
  [-800 * DAY, '2 years ago'],
])('%i ms from now is %s', (ms, shown) => {
  expect(relativeTime(1_800_000_000_000 + ms, 1_800_000_000_000)).toBe(shown)
})

test('prints an invalid time unchanged', () => {
  expect(showTime('yesterday', screenOf(80))).toEqual({ value: 'yesterday' })
  expect(showTime(12, screenOf(80))).toEqual({ value: '12' })
})

test('a status keeps its colour when cut; an unknown one has none', () => {
  const paint = new Chalk({ level: 1 })
  expect(paintStatus('succeeded', paint)).toBe(paint.green('succeeded'))
  expect(paintStatus('requires_approval', paint, 'requir…')).toBe(paint.yellow('requir…'))
  expect(paintStatus('on_hold', paint)).toBe('on_hold')
  expect(paintStatus('constructor', paint)).toBe('constructor')
})

test('control characters are escaped, and nothing else is changed', () => {
  const text = fc.string({
    unit: fc.integer({ max: 0x10ffff, min: 0 }).map(code => String.fromCodePoint(code)),
  })
  fc.assert(
    fc.property(text, it => {
      expect(visible(it)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202e\u2066]/u)
      if (!/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(it)) expect(visible(it)).toBe(it)
      expect(JSON.parse(visibleLines(JSON.stringify(it)))).toBe(it)
    }),
  )
  expect(visible('a\tb\n\u001b[2J\u009b')).toBe(String.raw`a\u0009b\u000a\u001b[2J\u009b`)
  expect(visibleLines('a\tb\nc\r\nd\r\u001b')).toBe('a\tb\nc\r\nd\\u000d\\u001b')
  expect(visible('👩‍👩‍👧 ค่าน้ำ')).toBe('👩‍👩‍👧 ค่าน้ำ')
})
