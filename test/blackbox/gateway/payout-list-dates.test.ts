import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalid } from '../../support/http/refusals.ts'
import { addPayout, listedIds, listPayouts, type Query } from '../../support/payments/payouts.ts'
import { HOUR, inOffset, MINUTE, shifted } from '../../support/time/instants.ts'

const server = sharedServer()

/** Three payouts a minute apart; the middle one is at a whole second, so that fractions can be written around it. */
let account: Account
let at: string
let older: string
let middle: string
let newer: string

beforeAll(async () => {
  account = await openAccount(server())
  at = shifted((await account.now()).replace(/\.\d{3}Z$/, '.000Z'), -HOUR)
  older = (await addPayout(account, { created_at: shifted(at, -MINUTE) })).id
  middle = (await addPayout(account, { created_at: at })).id
  newer = (await addPayout(account, { created_at: shifted(at, MINUTE) })).id
})

const withFraction = (instant: string, fraction: string) => instant.replace('.000Z', `.${fraction}Z`)

describe('created_after is inclusive', () => {
  test.each<[string, () => string, () => string[]]>([
    ['at the instant itself', () => at, () => [newer, middle]],
    ['one millisecond before', () => shifted(at, -1), () => [newer, middle]],
    ['one millisecond after', () => shifted(at, 1), () => [newer]],
    ['a hundredth of a millisecond after', () => withFraction(at, '00001'), () => [newer]],
    ['without a fraction', () => at.replace('.000Z', 'Z'), () => [newer, middle]],
    ['with nine zeros of fraction', () => withFraction(at, '000000000'), () => [newer, middle]],
    ['with offset +07:00', () => inOffset(at, '+07:00'), () => [newer, middle]],
    ['with offset -09:30', () => inOffset(at, '-09:30'), () => [newer, middle]],
    ['with offset +00:00', () => inOffset(at, '+00:00'), () => [newer, middle]],
    ['with offset +05:45, one millisecond after', () => inOffset(shifted(at, 1), '+05:45'), () => [newer]],
    ['before all', () => shifted(at, -HOUR), () => [newer, middle, older]],
    ['after all', () => shifted(at, HOUR), () => []],
  ])('%s', async (_, bound, expected) => {
    expect(await listedIds(account, { created_after: bound() })).toEqual(expected())
  })
})

describe('created_before is exclusive', () => {
  test.each<[string, () => string, () => string[]]>([
    ['at the instant itself', () => at, () => [older]],
    ['one millisecond before', () => shifted(at, -1), () => [older]],
    ['one millisecond after', () => shifted(at, 1), () => [middle, older]],
    ['a hundredth of a millisecond after', () => withFraction(at, '00001'), () => [middle, older]],
    ['without a fraction', () => at.replace('.000Z', 'Z'), () => [older]],
    ['with offset +07:00', () => inOffset(at, '+07:00'), () => [older]],
    ['with offset -09:30', () => inOffset(at, '-09:30'), () => [older]],
    [
      'with offset +05:45, one millisecond after',
      () => inOffset(shifted(at, 1), '+05:45'),
      () => [middle, older],
    ],
    ['before all', () => shifted(at, -HOUR), () => []],
    ['after all', () => shifted(at, HOUR), () => [newer, middle, older]],
  ])('%s', async (_, bound, expected) => {
    expect(await listedIds(account, { created_before: bound() })).toEqual(expected())
  })
})

describe('both bounds', () => {
  test.each<[string, () => Query, () => string[]]>([
    [
      'a window of one millisecond holds its instant',
      () => ({ created_after: at, created_before: shifted(at, 1) }),
      () => [middle],
    ],
    ['equal bounds hold nothing', () => ({ created_after: at, created_before: at }), () => []],
    [
      'after later than before is an empty page, not an error',
      () => ({ created_after: shifted(at, HOUR), created_before: shifted(at, -HOUR) }),
      () => [],
    ],
    [
      'the same window in two offsets',
      () => ({
        created_after: inOffset(at, '+07:00'),
        created_before: inOffset(shifted(at, MINUTE), '-03:00'),
      }),
      () => [middle],
    ],
  ])('%s', async (_, query, expected) => {
    expect(await listedIds(account, query())).toEqual(expected())
  })

  test('an empty window returns an empty last page', async () => {
    const answer = await listPayouts(account, { created_after: at, created_before: at })
    expect(answer.body).toEqual({ data: [], has_more: false, next_cursor: null })
  })
})

const malformed: [string, string][] = [
  ['no offset', '2026-02-01T00:00:00'],
  ['no offset, with a fraction', '2026-02-01T00:00:00.000'],
  ['a date alone', '2026-02-01'],
  ['a day that February has not', '2026-02-30T00:00:00Z'],
  ['the 29th of February in no leap year', '2026-02-29T00:00:00Z'],
  ['the 31st of April', '2026-04-31T00:00:00Z'],
  ['month 13', '2026-13-01T00:00:00Z'],
  ['month 0', '2026-00-10T00:00:00Z'],
  ['day 0', '2026-02-00T00:00:00Z'],
  ['hour 24', '2026-02-01T24:00:00Z'],
  ['hour 25', '2026-02-01T25:00:00Z'],
  ['minute 60', '2026-02-01T00:60:00Z'],
  ['second 61', '2026-02-01T00:00:61Z'],
  ['a space for the T', '2026-02-01 00:00:00Z'],
  ['no seconds', '2026-02-01T00:00Z'],
  ['an offset without colon', '2026-02-01T00:00:00+0700'],
  ['an offset of hours alone', '2026-02-01T00:00:00+07'],
  ['an offset of 24 hours', '2026-02-01T00:00:00+24:00'],
  ['an offset of 60 minutes', '2026-02-01T00:00:00+07:60'],
  ['a plus that became a space', '2026-02-01T00:00:00 07:00'],
  ['a point without a fraction', '2026-02-01T00:00:00.Z'],
  ['a comma for the point', '2026-02-01T00:00:00,5Z'],
  ['one-digit parts', '2026-2-1T0:00:00Z'],
  ['a year of five digits', '12026-02-01T00:00:00Z'],
  ['seconds since 1970', '1769904000'],
  ['an HTTP date', 'Sun, 01 Feb 2026 00:00:00 GMT'],
  ['a word', 'yesterday'],
  ['nothing', ''],
  ['a space at the end', '2026-02-01T00:00:00Z '],
  ['a zone after the offset', '2026-02-01T00:00:00Z[Asia/Bangkok]'],
]

describe.each(['created_after', 'created_before'])('%s', name => {
  test.each(malformed)('refuses %s', async (_, value) => {
    expectRefusal(await listPayouts(account, { [name]: value }), invalid(name))
  })

  test('refuses two values', async () => {
    expectRefusal(await listPayouts(account, { [name]: [at, at] }), invalid(name))
  })

  test('accepts the 29th of February in a leap year', async () => {
    expect((await listPayouts(account, { [name]: '2024-02-29T00:00:00Z' })).status).toBe(200)
  })
})
