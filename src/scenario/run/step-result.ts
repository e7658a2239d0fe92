import type { JournalEntry } from '../../client/control-client.ts'
import { ControlError } from '../../client/errors.ts'
import type { ReceivedAnswer } from '../../contract/wire-answer.ts'
import { FileRefusedError } from '../../files/regular-file.ts'
import type { Mismatch } from '../expect/match.ts'
import type { Path, SourcePosition } from '../load/problems.ts'
import { type Scope, UnknownReferenceError } from './scope.ts'
import type { Stage } from './stage.ts'
import type { Sent } from './wire.ts'

/** What a step did. */
export interface StepResult {
  readonly sent?: Sent
  readonly answer?: ReceivedAnswer
  /** The id of the record that the step was about, to show its history. */
  readonly subject?: string | undefined
  /** The value that `as` stores. */
  readonly value?: unknown
  readonly mismatches: readonly Mismatch[]
  /** It could not be played: a value that it needs was missing, or the simulator refused it. */
  readonly isRefused?: true
}

export const nothingWrong: StepResult = { mismatches: [] }

export interface StepFailure extends SourcePosition, Pick<StepResult, 'isRefused'> {
  readonly mismatches: readonly (Mismatch & SourcePosition)[]
  readonly sent?: Sent
  readonly answer?: ReceivedAnswer
  readonly history: readonly string[]
  /** The last output of the application. */
  readonly output?: readonly string[]
}

/** A step, for the reports. */
export interface StepRecord {
  readonly path: Path
  /** Finds its position in the file: only some reports need it. */
  readonly place: () => SourcePosition
  /** `verify` for the checks at the end. */
  readonly verb: string
  readonly title: string
  readonly depth: number
  /** How far the account's clock had moved since the start. */
  readonly sinceStartMs: number
  /** How long it took in wall time. */
  readonly tookMs: number
  readonly sent?: Sent
  readonly answer?: ReceivedAnswer
  readonly failure?: StepFailure
}

/** A step failed. The steps after it do not run. */
export class StepFailedError extends Error {}

/** The context in which a list of steps runs. */
export interface StepRun {
  readonly stage: Stage
  readonly scope: Scope
  readonly depth: number
  readonly records: StepRecord[]
  readonly onStep: (title: string) => void
  /** Other steps run at the same time, so do not wait between steps. */
  readonly racing?: true
}

/** Runs steps inside a step. */
export interface StepRunner {
  steps(steps: readonly object[], path: Path, run: StepRun): Promise<void>
  step(step: object, path: Path, run: StepRun): Promise<void>
}

/** The result of a step. A refusal by the simulator, or a reference to a missing value, is a failed step, not a bug. */
export async function resultOf(work: () => Promise<StepResult>): Promise<StepResult> {
  const failed = (subject: string, expected: string, actual: unknown, why: string) => ({
    mismatches: [{ path: [], subject, expected, actual, why }],
    isRefused: true as const,
  })
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnknownReferenceError)
      return failed('reference', 'a value', undefined, error.message)
    if (error instanceof FileRefusedError)
      return failed('file', 'a regular file below the folder of the scenario', undefined, error.message)
    if (!(error instanceof ControlError)) throw error
    const { call, answer } = error
    return { answer, ...failed('simulator', 'success', answer.body ?? answer.status, `refused ${call}`) }
  }
}

/** Records a step. Throws if it failed, which ends the scenario. */
export async function recordStep(
  step: { readonly verb: string; readonly title: string; readonly path: Path; readonly tookMs: number },
  { sent, answer, subject, mismatches, isRefused }: StepResult,
  { stage, depth, records }: StepRun,
): Promise<void> {
  const { positions } = stage.scenario
  const { path, title } = step
  const place = () => positions.of(path)
  const base = { ...step, depth, sinceStartMs: stage.sinceStartMs, place }
  const exchange = { ...(sent ? { sent } : {}), ...(answer ? { answer } : {}) }
  if (mismatches.length === 0) {
    records.push({ ...base, ...exchange })
    return
  }
  const placed = mismatches.map(mismatch => ({ ...mismatch, ...positions.of([...path, ...mismatch.path]) }))
  const [first] = placed
  const history = await lastOfHistory(subject, stage)
  const output = stage.application?.app.output ?? []
  const { line, column } = first ?? place()
  records.push({
    ...base,
    ...exchange,
    failure: {
      line,
      column,
      mismatches: placed,
      ...(isRefused ? { isRefused } : {}),
      ...exchange,
      history,
      ...(output.length > 0 ? { output } : {}),
    },
  })
  throw new StepFailedError(title)
}

/** Internal events, which say nothing about what happened to a record. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'TimerSet',
  'TimerFired',
  'AnswerKept',
  'RulesConsulted',
  'FaultsCounted',
])

/** The events of a record, oldest first. */
export async function historyOf(
  id: string,
  stage: Stage,
): Promise<{ type: string; at: string; by: string }[]> {
  const entries = await stage.simulated.control.history(id).catch(noneIfRefused)
  return entries.flatMap(({ at, by, seq, events }) =>
    events.filter(({ type }) => !BOOKKEEPING.has(type)).map(event => ({ at, by, seq, ...event })),
  )
}

/** A record that does not exist has no history. */
function noneIfRefused(error: unknown): JournalEntry[] {
  if (error instanceof ControlError) return []
  throw error
}

const SHOWN = 6

/** The last events, to show with a failure. */
async function lastOfHistory(id: string | undefined, stage: Stage): Promise<string[]> {
  if (id === undefined || !stage.account) return []
  const events = await historyOf(id, stage).catch(() => [])
  return events.slice(-SHOWN).map(({ at, by, type }) => `${at.slice(0, 23)}Z  ${type} (${by})`)
}
