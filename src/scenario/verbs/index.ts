import { APPLICATION } from './application.ts'
import { FLOW } from './flow.ts'
import { CLOCK, OPERATOR } from './operator.ts'
import { PAYER } from './payer.ts'
import { PAYMENTS, PAYOUTS } from './payments.ts'
import { RECORDS, REQUESTS, WEBHOOKS } from './records.ts'
import { type AnyVerb, expectedOutcome, type FlowVerb, type PlainVerb } from './verb.ts'

const ALL = [
  ...PAYMENTS,
  ...PAYOUTS,
  ...REQUESTS,
  ...PAYER,
  ...CLOCK,
  ...OPERATOR,
  ...WEBHOOKS,
  ...RECORDS,
  ...APPLICATION,
  ...FLOW,
]

/** All verbs by name, for the loader, the runner, the published schema and the types of the library. @internal */
export const VERBS: ReadonlyMap<string, AnyVerb> = new Map(ALL.map(entry => [entry.name, entry as AnyVerb]))

type Entry = (typeof ALL)[number]
export type VerbName = Entry['name']
export type StepOf<Name extends VerbName> = NonNullable<Extract<Entry, { name: Name }>['step']>

/** The verbs in a step. A valid step has exactly one. */
export const verbsOf = (step: object): string[] => Object.keys(step).filter(key => VERBS.has(key))

export const isFlow = (entry: AnyVerb): entry is FlowVerb => 'playInside' in entry
export const isPlain = (entry: AnyVerb): entry is PlainVerb => 'play' in entry

/** Describes a step in words. @internal */
export function titleOf({ name, title }: AnyVerb, step: object): string {
  const { note, [name]: value } = step as Record<string, unknown>
  if (typeof note === 'string') return note
  return [name, ...title({ step, value }), expectedOutcome(step)].filter(word => word !== '').join(' ')
}
