import * as Type from '@sinclair/typebox'
import { JOURNAL_VERSION } from '../contract/control/journal.ts'
import type { FieldProblem } from '../contract/errors.ts'
import { oneOf } from '../contract/schema.ts'
import { type Validator, validator } from '../contract/validation.ts'
import { readCatalogue } from './catalogue.ts'
import type { Actor } from './commands.ts'
import { type DomainEvent, type Entry, EVENT_SCHEMAS, instant, object, RECORD_MEMBERS } from './events.ts'
import { readRules } from './rules/rule.ts'

const ACTORS: readonly Actor[] = ['merchant', 'payer', 'operator', 'timer', 'courier']
const checkEntry = validator(
  object({
    v: Type.Literal(JOURNAL_VERSION),
    seq: Type.Integer({ minimum: 1 }),
    at: instant,
    by: oneOf(ACTORS),
    events: Type.Array(Type.Object({ type: oneOf(Object.keys(EVENT_SCHEMAS)) })),
  }),
)
/** One schema for each type of event, so that a problem is reported for that type only. */
const checks = new Map<string, Validator>(
  Object.entries(EVENT_SCHEMAS).map(([type, members]) => [
    type,
    validator(object({ type: Type.Literal(type), ...members })),
  ]),
)

/** The types of events whose schemas were not compiled yet. */
const unused = new Set(checks.keys())

/** Compiles the schemas that this entry is the first to need. Yields after each one, which may take 50 ms. */
export function* compileFor(entry: unknown): Generator<void> {
  if (unused.size === 0) return
  const { events } = Object(entry)
  if (!Array.isArray(events)) return
  for (const event of events) {
    const type = event?.type
    if (!unused.delete(type)) continue
    checks.get(type)?.(event)
    yield
  }
}

/** Checks entries that are to become a journal, one after the other. */
export class EntryChecker {
  #count = 0
  #before = Number.NEGATIVE_INFINITY
  readonly #made = new Set<string>()

  /** The problems of the next entry, each with its field. */
  check(entry: unknown): FieldProblem[] {
    const at = this.#count++
    const problems: FieldProblem[] = []
    const say = ({ field, message }: FieldProblem) => {
      problems.push({ field: `entries.${at}.${field}`, message })
    }
    const malformed = checkEntry(entry)
    malformed.forEach(say)
    if (malformed.length > 0) return problems
    const { seq, at: time, events } = entry as Entry
    if (seq !== at + 1) say({ field: 'seq', message: `must be ${at + 1}` })
    if (time < this.#before) say({ field: 'at', message: 'must not be earlier than the previous entry' })
    this.#before = Math.max(this.#before, time)
    events.forEach((event, nth) => {
      for (const { field, message } of problemsOf(event)) say({ field: `events.${nth}.${field}`, message })
    })
    if (problems.length === 0) this.#referenceProblems(events).forEach(say)
    return problems
  }

  /** A record that is named must have been made, by this entry or by one before it. */
  #referenceProblems(events: readonly DomainEvent[]): FieldProblem[] {
    for (const event of events) {
      const member = MADE_BY[event.type]
      if (member !== undefined) this.#made.add(String((event as Naming)[member]))
    }
    return events.flatMap((event, nth) =>
      namedIn(event).flatMap(([field, id]) =>
        this.#made.has(id)
          ? []
          : [{ field: `events.${nth}.${field}`, message: `names ${id}, which no entry has made` }],
      ),
    )
  }
}

type RecordMember = (typeof RECORD_MEMBERS)[number]
type Naming = { readonly [M in RecordMember]?: unknown }

const MADE_BY: { readonly [T in DomainEvent['type']]?: RecordMember } = {
  PaymentCreated: 'payment',
  PayoutCreated: 'payout',
  AssetStored: 'asset',
  EventEmitted: 'event',
  EndpointAdded: 'endpoint',
  DeliveryQueued: 'delivery',
}

/** The members of an event that hold ids of records in turn. */
const AROUND = ['subject', 'command', 'answer'] as const

/** Each id of a record that an event names, with where it does so. */
function namedIn(event: DomainEvent): [field: string, id: string][] {
  const inside: { readonly [A in (typeof AROUND)[number]]?: unknown } = Object(event)
  const places: [prefix: string, naming: Naming][] = [
    ['', event as Naming],
    ...AROUND.map((name): [string, Naming] => [`${name}.`, Object(inside[name])]),
  ]
  return places.flatMap(([prefix, naming]) =>
    RECORD_MEMBERS.flatMap((member): [string, string][] => {
      const { [member]: id } = naming
      return typeof id === 'string' ? [[prefix + member, id]] : []
    }),
  )
}

function problemsOf(event: DomainEvent): readonly FieldProblem[] {
  const malformed = checks.get(event.type)?.(event) ?? []
  if (malformed.length > 0) return malformed
  switch (event.type) {
    case 'RulesReplaced':
      return problemsIn(readRules({ rules: event.rules ?? [] }))
    case 'RulesPutInFront':
      return problemsIn(readRules({ rules: event.rules }))
    case 'CatalogueReplaced':
      return problemsIn(readCatalogue(event.catalogue))
    default:
      return []
  }
}

const problemsIn = (read: object) => ('problems' in read ? (read.problems as readonly FieldProblem[]) : [])
