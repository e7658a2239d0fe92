import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { closest } from '../../contract/closest.ts'
import { ACTION_TYPES } from '../../contract/resources.ts'
import {
  CHECKOUT_MODES,
  PAYMENT_STATUSES,
  PAYOUT_STATUSES,
  RECEIPT_STATUSES,
} from '../../contract/statuses.ts'
import type { Path } from '../load/problems.ts'
import type { StepCheck } from '../load/step-check.ts'
import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult, StepRun, StepRunner } from '../run/step-result.ts'
import { closed, maybe, text } from '../schema/answers.ts'

/** A step with the value of its verb. */
interface StepFacts<Name extends string, Step> {
  readonly step: Step
  readonly value: Name extends keyof Step ? Step[Name] : unknown
}

/** What a step can use while it runs. Its references are resolved. */
export interface RunningStep<Name extends string, Step> extends StepFacts<Name, Step> {
  readonly stage: Stage
  readonly scope: Scope
  readonly path: Path
}

interface RepeatedParts<Name extends string, Step> {
  /** `simulator`: it does not work with a gateway of which only the base URL is known. */
  readonly needs: 'simulator' | 'any'
  /** Whether it may cause something that continues after its answer, such as a webhook. */
  readonly moves: boolean
  /** What to show after the verb. @internal */
  title(facts: StepFacts<Name, Step>): readonly string[]
  /** The possible words of the record, by their paths in the expectation. @internal */
  readonly words?: Words
  /** Reports problems that the schema cannot find. @internal */
  check?(facts: StepFacts<Name, Step>, check: StepCheck): void
}

interface PlainParts<Name extends string, Step> extends RepeatedParts<Name, Step> {
  /** @internal */
  play(running: RunningStep<Name, Step>): Promise<StepResult>
}

interface FlowParts<Name extends string, Step> extends RepeatedParts<Name, Step> {
  /** Runs the steps inside the step. @internal */
  playInside(step: Step, path: Path, run: StepRun, runner: StepRunner): Promise<void>
}

interface Named<Name extends string, Step> {
  readonly name: Name
  /** @internal */
  readonly schema: TSchema
  /** The type of the step, only for the compiler. */
  readonly step?: Step
}

/** A verb. To add one, add an entry to a file in this folder, and a row to docs/scenarios.md. */
export type PlainVerb<Name extends string = string, Step = object> = Named<Name, Step> &
  PlainParts<Name, Step>
/** A verb whose steps contain other steps. */
export type FlowVerb<Name extends string = string, Step = object> = Named<Name, Step> & FlowParts<Name, Step>
export type AnyVerb = PlainVerb | FlowVerb

/** Members that every step may have. */
const note = { note: maybe(text('the title to show for the step')) }

type StepType<Name extends string, Value extends TSchema, More extends TProperties> = Static<
  TObject<{ [K in Name]: Value } & More & typeof note>
>

interface Shape<Value extends TSchema, More extends TProperties> {
  /** The value of the verb. */
  readonly value: Value
  /** The other members of the step. */
  readonly beside?: More
}

/** Most verbs need a simulator, change nothing by themselves, and are shown with their value and their expectation. */
type Defaults = 'needs' | 'moves' | 'title'
/** @internal */
type WithDefaults<Parts extends { readonly [D in Defaults]: unknown }> = Omit<Parts, Defaults> &
  Partial<Pick<Parts, Defaults>>

/** @internal */
export function verb<
  const Name extends string,
  Value extends TSchema,
  More extends TProperties = Record<never, never>,
>(
  name: Name,
  {
    value,
    beside,
    ...parts
  }: Shape<Value, More> & WithDefaults<PlainParts<Name, StepType<Name, Value, More>>>,
): PlainVerb<Name, StepType<Name, Value, More>> {
  return {
    name,
    schema: schemaOf(name, value, beside ?? {}),
    needs: 'simulator',
    moves: false,
    title: valueAndExpectation,
    ...parts,
  }
}

/** @internal */
export function flowVerb<const Name extends string, Value extends TSchema, More extends TProperties>(
  name: Name,
  {
    value,
    beside,
    ...parts
  }: Required<Shape<Value, More>> & Omit<FlowParts<Name, StepType<Name, Value, More>>, 'needs' | 'moves'>,
): FlowVerb<Name, StepType<Name, Value, More>> {
  return { name, schema: schemaOf(name, value, beside), needs: 'any', moves: false, ...parts }
}

export const schemaOf = (name: string, value: TSchema, beside: TProperties) =>
  Type.Object({ [name]: value, ...note, ...beside }, closed)

/** Reports a step that only makes sense with an application. */
export function demandApplication(verb: string, check: StepCheck): void {
  if (!check.hasApplication) check.say([verb], `${verb} needs an application: add app to the file`)
}

/** How a step is shown in its title. */

interface Facts {
  readonly step: object
  readonly value: unknown
}

export const nothing = () => []

/** The value of the verb, and its expectation. */
export const valueAndExpectation = ({ step, value }: Facts): string[] => [
  typeof value === 'string' ? short(value) : brief(value),
  ...['is', 'exactly', 'include', 'count', 'none'].flatMap(key =>
    key in step ? [`${key} ${brief((step as Record<string, unknown>)[key])}`] : [],
  ),
]

/** Some members of a body. */
export const members =
  (...names: string[]) =>
  ({ value }: Facts): string[] => {
    const body = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
    return names.map(name => body[name]).filter(word => typeof word === 'string')
  }

export const wholeValue = ({ value }: Facts): string[] => [typeof value === 'string' ? value : brief(value)]

export const numberOfItems = ({ value }: Facts): string[] => [String((value as unknown[]).length)]

/** The expected outcome, if it is not a success. */
export function expectedOutcome(step: object): string {
  const { error, lost } = ((step as { expect?: object }).expect ?? {}) as { error?: string; lost?: true }
  return lost ? '→ no answer' : error ? `→ ${error}` : ''
}

const LONGEST = 72

/** The first characters of an id are enough to recognise it. */
const short = (text: string) => (/^[a-z]+_[0-9A-Za-z]{24}$/.test(text) ? `${text.slice(0, 11)}…` : text)

export function brief(value: unknown): string {
  const text = plain(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

function plain(value: unknown): string {
  if (typeof value === 'string') return short(value)
  if (Array.isArray(value)) return `[${value.map(plain).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${plain(inner)}`)
    .join(', ')
}

/** The possible words at each path of a record. The path of the record itself is empty. */
export type Words = Readonly<Record<string, readonly string[]>>

export const PAYMENT_WORDS: Words = {
  status: PAYMENT_STATUSES,
  'receipt.status': RECEIPT_STATUSES,
  'next_action.type': ACTION_TYPES,
  checkout_mode: CHECKOUT_MODES,
}
export const PAYOUT_WORDS: Words = { status: PAYOUT_STATUSES }
export const RECEIPT_WORDS: Words = { '': RECEIPT_STATUSES, status: RECEIPT_STATUSES }

/** Explains why a record can never have this word at this path, if that is the case. */
export function unknownWord(words: Words | undefined, path: string, word: string): string | undefined {
  const known = words?.[path.replace(/\b\d+\b/g, '*')]
  if (!known || known.includes(word) || word.includes('${')) return undefined
  const meant = closest(word, known)
  const member = path.split('.').at(-1) || 'type'
  return `there is no ${member} ${word}${meant ? `; did you mean ${meant}?` : `: use one of ${known.join(', ')}`}`
}
