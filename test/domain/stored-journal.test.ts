import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apply } from '../../src/domain/apply.ts'
import { EntryChecker } from '../../src/domain/check-entries.ts'
import { type Entry, EVENT_SCHEMAS } from '../../src/domain/events.ts'
import { MutableWorld } from '../../src/domain/world.ts'

/**
 * A journal that paysim 0.1.0 wrote, with every event of its time. It must never be written anew: what is in it is in
 * the journals and archives of users. So a new member of an event is optional, and no member changes its meaning.
 */
const lines = readFileSync(new URL('journal-version-1.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
const entries = lines.map(line => JSON.parse(line) as Entry)

/** The types of events that are newer than the stored journal. */
const NEWER: readonly string[] = []

test('the stored journal has every event of its time', () => {
  const types = new Set<string>(entries.flatMap(({ events }) => events.map(({ type }) => type)))
  expect([...types, ...NEWER].sort()).toEqual(Object.keys(EVENT_SCHEMAS).sort())
})

test('an archive of it can still be imported', () => {
  const checker = new EntryChecker()
  expect(entries.flatMap(entry => checker.check(entry))).toEqual([])
})

test('its records are still the same', () => {
  const world = new MutableWorld()
  for (const entry of entries) apply(world, entry)
  const payments = [...world.payments.values()].map(({ merchantReference, outcome, failure, receipt }) =>
    [merchantReference, outcome ?? 'open', failure?.code, receipt?.status].filter(Boolean).join(' '),
  )
  expect(payments).toEqual([
    'qr succeeded',
    'late failed declined',
    'manual-1 succeeded submitted',
    'manual-2 failed payment_cancelled required',
    'moves failed insufficient_funds required',
    'hosted expired',
  ])
  const payouts = [...world.payouts.values()].map(({ merchantReference, status, failure, cancelReason }) =>
    [merchantReference, status, failure?.code ?? cancelReason].filter(Boolean).join(' '),
  )
  expect(payouts).toEqual(['po-1 succeeded', 'po-2 failed account_closed', 'po-3 cancelled Wrong amount'])
  const deliveries = [...world.deliveries.values()]
  const attempts = (wanted: string) =>
    deliveries
      .filter(({ status }) => status === wanted)
      .reduce((sum, delivery) => sum + delivery.attempts.length, 0)
  expect([attempts('delivered'), attempts('failed'), attempts('pending')]).toEqual([50, 5, 0])
  expect(world).toMatchObject({ seq: entries.length, rules: { length: 2 } })
  expect(world.timers.size).toBe(0)
})
