import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { Path } from '../load/path.ts'
import type { StepCheck } from '../load/step-check.ts'
import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { StepRun, StepRunner } from '../run/step-run.ts'
import { closed, maybe, text } from '../schema/words.ts'
import type { Words } from './known-words.ts'

/** A step with the value of its verb. */
export interface StepFacts<Name extends string, Step> {
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

export interface PlainParts<Name extends string, Step> extends RepeatedParts<Name, Step> {
  /** @internal */
  play(running: RunningStep<Name, Step>): Promise<StepResult>
}

export interface FlowParts<Name extends string, Step> extends RepeatedParts<Name, Step> {
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
  readonly beside: More
}

export function verb<const Name extends string, Value extends TSchema, More extends TProperties>(
  name: Name,
  { value, beside, ...parts }: Shape<Value, More> & PlainParts<Name, StepType<Name, Value, More>>,
): PlainVerb<Name, StepType<Name, Value, More>> {
  return { name, schema: schemaOf(name, value, beside), ...parts }
}

export function flowVerb<const Name extends string, Value extends TSchema, More extends TProperties>(
  name: Name,
  { value, beside, ...parts }: Shape<Value, More> & FlowParts<Name, StepType<Name, Value, More>>,
): FlowVerb<Name, StepType<Name, Value, More>> {
  return { name, schema: schemaOf(name, value, beside), ...parts }
}

export const schemaOf = (name: string, value: TSchema, beside: TProperties) =>
  Type.Object({ [name]: value, ...note, ...beside }, closed)
