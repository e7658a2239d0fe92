import { expect, test } from 'vitest'
import { type DomainEvent, EVENT_SCHEMAS, recordsOf } from '../../src/domain/events.ts'

/** The limits of an id, as the schemas of the events have them. */
const isId = (schema: unknown) => JSON.stringify(schema).includes('"maxLength":256')

/** These ids stand in what happened, and are not what it happened to. */
const OF_OTHERS = new Set([
  'TimerSet.timer',
  'TimerSet.command',
  'TimerFired.timer',
  'AnswerKept.answer',
  'CatalogueReplaced.catalogue',
])

const ids = Object.entries(EVENT_SCHEMAS).flatMap(([type, members]) =>
  Object.entries(members)
    .filter(([member, schema]) => isId(schema) && !OF_OTHERS.has(`${type}.${member}`))
    .map(([member]) => ({ type, member })),
)

test.for(ids)('the history of a record has each $type that names it as its $member', ({ type, member }) => {
  const value = member === 'subject' ? { payment: 'it' } : 'it'
  expect(recordsOf({ type, [member]: value } as unknown as DomainEvent)).toEqual(['it'])
})

test('more than 30 members of events name a record', () => {
  expect(ids.length).toBeGreaterThan(30)
})
