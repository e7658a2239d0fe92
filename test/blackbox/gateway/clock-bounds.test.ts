import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Account, accountOf, type Json, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, restarted, sharedServer } from '../../support/gateway/shared-server.ts'
import { paymentBody, postPayment } from '../../support/payments/payments.ts'
import { addPayout } from '../../support/payments/payouts.ts'

const server = sharedServer()

const LAST = '9999-12-31T23:59:59.999Z'
const FIRST_MS = -62_167_219_200_000
const LAST_MS = 253_402_300_799_999

const clockOf = (account: Account) => succeeded(account.control('GET', '/clock'))
const setClock = (account: Account, body: Json) => account.control('PUT', '/clock', { body })
const importInto = (account: Account, body: Json) => account.control('PUT', '/import', { body })
const exported = (account: Account) => succeeded(account.control('GET', '/export'))

/** An archive whose only entry sets the clock. */
const archiveWith = (clock: Json) => ({
  paysim: 1,
  account: 'default.test',
  seed: 's',
  images: {},
  entries: [{ v: 1, seq: 1, at: 0, by: 'operator', events: [{ type: 'ClockSet', clock }] }],
})

/** Whatever was set, the account must answer. Refusals are answers. */
async function expectAnswers(account: Account): Promise<void> {
  const { now, mode } = await clockOf(account)
  expect(now).toMatch(/^\d{4}-\d\d-\d\dT/)
  const answers = [
    await postPayment(account, paymentBody()),
    await setClock(account, { mode }),
    await setClock(account, { mode: 'virtual' }),
    await postPayment(account, paymentBody()),
    await account.control('GET', '/payments'),
    await account.control('GET', '/timers'),
  ]
  for (const { status, text } of answers) {
    expect(status, text).toBeLessThan(500)
    expect(text).not.toMatch(/"[+-]\d{6}-/)
  }
}

describe('time ends at the last millisecond that can be shown', () => {
  test('for an imported clock that ran since the year 0', async () => {
    const own = await ownServer()
    const account = await openAccount(own)
    const clock = { mode: 'real', rate: 1_000_000, accountAt: 0, wallAt: FIRST_MS }
    await succeeded(importInto(account, archiveWith(clock)))
    expect(await clockOf(account)).toMatchObject({ now: LAST })
    await expectAnswers(account)
    await expectAnswers(accountOf(await restarted(own), account.keys))
  })

  test('for a clock that gets there, whose export can be imported', async () => {
    const account = await openAccount(server())
    await succeeded(setClock(account, { mode: 'real', now: '9999-12-31T23:59:59Z', rate: 1_000_000 }))
    await expect.poll(async () => (await clockOf(account)).now).toBe(LAST)
    const { status, body } = await postPayment(account, paymentBody())
    expect(status).toBe(201)
    expect(body.created_at).toBe(LAST)
    await addPayout(account)
    const archive = await exported(account)
    await succeeded(importInto(account, archive))
    await expectAnswers(account)
  })

  test.each([
    [{ by: '400d' }, 'by'],
    [{ to: '9999-12-31T23:59:59-01:00' }, 'to'],
  ])('an advance %j is refused for its %s', async (body, field) => {
    const account = await openAccount(server(), { clock: { mode: 'virtual', now: '9999-01-01T00:00:00Z' } })
    const answer = await account.control('POST', '/clock/advance', { body })
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400)
    expect(answer.text).toContain(`"field":"${field}","message":"must not be after the year 9999"`)
  })

  test('an advance may go to the last millisecond', async () => {
    const account = await openAccount(server())
    await succeeded(postPayment(account, paymentBody()))
    const body = { to: LAST }
    expect(await succeeded(account.control('POST', '/clock/advance', { body }))).toMatchObject({ now: LAST })
    await expectAnswers(account)
  })

  test.each([
    ['a clock', 'now', (account: Account, now: string) => setClock(account, { mode: 'real', now })],
    [
      'a new merchant',
      'clock.now',
      (_: Account, now: string) =>
        server().control('POST', '/merchants', { body: { clock: { mode: 'virtual', now } } }),
    ],
  ])('%s after the end is refused', async (_, field, set) => {
    const { status, text } = await set(await openAccount(server()), '9999-12-31T23:59:59-01:00')
    expect(status, text).toBeLessThan(500)
    expect(status, text).toBeGreaterThanOrEqual(400)
    expect(text).toContain(`"field":"${field}"`)
  })
})

/** The places of all whole numbers in a value. */
function numbersIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (typeof value === 'number') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => numbersIn(member, [...path, name]))
}

function replaced(value: Json, [name, ...rest]: readonly (string | number)[], by: number): Json {
  if (name === undefined) return by
  const copy = Array.isArray(value) ? [...value] : { ...value }
  copy[name as keyof typeof copy] = replaced(copy[name as keyof typeof copy], rest, by)
  return copy
}

test('an import that is accepted leaves an account that answers', async () => {
  const source = await openAccount(server())
  await succeeded(postPayment(source, paymentBody()))
  await addPayout(source)
  await source.advance('1m')
  await succeeded(setClock(source, { mode: 'real', rate: 60 }))
  const archive = await exported(source)
  const places = numbersIn(archive).filter(([first]) => first === 'entries')
  const extreme = fc.constantFrom(
    ...[
      FIRST_MS,
      FIRST_MS + 1,
      -1,
      0,
      1,
      1_000_000,
      Date.now(),
      LAST_MS - 1,
      LAST_MS,
      Number.MAX_SAFE_INTEGER,
      5e-324,
    ],
  )
  const changes = fc.array(fc.tuple(fc.constantFrom(...places), extreme), { minLength: 1, maxLength: 3 })
  const target = await openAccount(server())
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(changes, async given => {
      const changed = given.reduce((whole, [path, by]) => replaced(whole, path, by), archive)
      const { status, text } = await importInto(target, changed)
      expect(status, text).toBeLessThan(500)
      if (status !== 200) return
      accepted++
      await expectAnswers(target)
      await succeeded(importInto(target, await exported(target)))
    }),
    { numRuns: 60, examples: [[[[['entries', 0, 'at'], FIRST_MS]]]] },
  )
  expect(accepted).toBeGreaterThan(0)
})
