import { describe, expect, test } from 'vitest'
import { parseRetryAfter } from '../../src/contract/limits.ts'

const NOW = Date.UTC(2026, 0, 1, 12)

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['7', 7000],
    ['120', 120_000],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    [['5', '9'], 5000],
    ['soon', null],
    ['', null],
    [undefined, null],
  ])('%j waits %j ms', (header, ms) => {
    expect(parseRetryAfter(header, NOW)).toBe(ms)
  })

  test.each(['9'.repeat(13), '9'.repeat(400)])('a time beyond the calendar is not waited for: %s', header => {
    const wait = parseRetryAfter(header, NOW) ?? 0
    expect(() => new Date(NOW + wait).toISOString()).not.toThrow()
  })
})
