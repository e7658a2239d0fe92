import type { Application } from '../../application/application.ts'
import { ApplicationError } from '../../application/application-error.ts'
import { ControlError } from '../../client/control-error.ts'
import type { FileProblem, ScenarioError } from '../load/problems.ts'
import type { Scenario } from '../scenario.ts'
import { concludeApplication, lookAgain } from './conclude.ts'
import { type ApplicationSettings, openApplication } from './open-application.ts'
import { playSteps } from './play.ts'
import type { ApplicationReport } from './played-application.ts'
import { UnknownReferenceError } from './scope.ts'
import { Stage } from './stage.ts'
import { StepFailedError, type StepRecord } from './step-result.ts'
import type { Target } from './target.ts'
import { transcriptOf } from './transcript.ts'
import { verify } from './verify.ts'

/** The result of one run of a scenario. */
export interface ScenarioResult {
  readonly file: string
  readonly name: string
  /** Which of several runs of the scenario this was. */
  readonly repetition?: Repetition
  readonly seed?: number | string
  /** The problems of a file that could not be run. */
  readonly problems?: readonly FileProblem[]
  readonly ok: boolean
  readonly tookMs: number
  /** How far the account's clock moved. */
  readonly passedMs: number
  readonly virtual: boolean
  readonly steps: readonly StepRecord[]
  readonly transcript?: string
  /** What was recorded about the merchant's application. */
  readonly application?: ApplicationReport
}

export interface Repetition {
  readonly nth: number
  readonly of: number
}

/** The result of a file that could not be run; other files still run. */
export const refused = (file: string, { problems, scenario }: ScenarioError): ScenarioResult => ({
  file,
  name: scenario ?? file,
  problems: problems,
  ok: false,
  tookMs: 0,
  passedMs: 0,
  virtual: false,
  steps: [],
})

export interface RunSettings extends ApplicationSettings {
  readonly target: Target
  /** The name of the run's merchant, and the value of `${run}`. */
  readonly run: string
  readonly transcript?: boolean
  readonly began?: (title: string) => void
}

/** Runs one scenario from start to end, in its own account. */
export async function runScenario(scenario: Scenario, settings: RunSettings): Promise<ScenarioResult> {
  const startedAt = performance.now()
  const records: StepRecord[] = []
  const { file, data } = scenario
  let stage: Stage
  try {
    stage = await Stage.open(
      scenario,
      settings.target,
      settings.run,
      settings.shared?.application?.credentials.webhookSecret,
    )
  } catch (cause) {
    if (!(cause instanceof ControlError) && !(cause instanceof UnknownReferenceError)) throw cause
    records.push(setupFailure(scenario, cause))
    const tookMs = performance.now() - startedAt
    return { file, name: data.name, ok: false, tookMs, passedMs: 0, virtual: false, steps: records }
  }
  let application: Application | undefined
  try {
    application = await openApplication(stage, settings)
    const ok = await playScenario(stage, records, settings.began ?? (() => {}))
    const transcript = settings.transcript ? await transcriptOf(records, stage) : undefined
    return {
      file,
      name: data.name,
      ok,
      tookMs: performance.now() - startedAt,
      passedMs: stage.sinceStartMs,
      virtual: stage.virtual,
      steps: records,
      ...(transcript === undefined ? {} : { transcript }),
      ...(stage.application ? { application: stage.application.report() } : {}),
    }
  } catch (cause) {
    if (!(cause instanceof ApplicationError)) throw cause
    records.push(startFailure(scenario, cause))
    const tookMs = performance.now() - startedAt
    return { file, name: data.name, ok: false, tookMs, passedMs: 0, virtual: stage.virtual, steps: records }
  } finally {
    if (!settings.shared) await application?.close()
    await stage.close()
  }
}

async function playScenario(
  stage: Stage,
  records: StepRecord[],
  onStep: (title: string) => void,
): Promise<boolean> {
  try {
    await playSteps(stage.scenario.data.steps ?? [], ['steps'], {
      stage,
      scope: stage.scope,
      depth: 0,
      records,
      onStep,
    })
  } catch (cause) {
    if (!(cause instanceof StepFailedError)) throw cause
    if (stage.application) await concludeApplication(stage, stage.application)
    return false
  }
  const { application } = stage
  if (application && !application.run.isDisturbed) await lookAgain(application)
  const mismatches = [
    ...(application ? await concludeApplication(stage, application) : []),
    ...(application?.run.isDisturbed ? [] : await verify(stage)),
  ]
  const { positions } = stage.scenario
  const placed = mismatches.map(mismatch => ({ ...mismatch, ...positions.of(mismatch.path) }))
  const [first] = placed
  if (!first) return true
  const { line, column } = first
  const base = { path: ['verify'], verb: 'verify', title: 'verify', depth: 0, line, column }
  const output = application?.app.output ?? []
  const failure = { line, column, mismatches: placed, history: [], ...(output.length > 0 ? { output } : {}) }
  records.push({ ...base, sinceStartMs: stage.sinceStartMs, tookMs: 0, failure })
  return false
}

/** The result if the application did not start. */
function startFailure({ positions }: Scenario, { message, output }: ApplicationError): StepRecord {
  const place = positions.of(['app'])
  const mismatch = {
    path: ['app'],
    subject: 'application',
    expected: 'a running application',
    actual: null,
    why: message,
    ...place,
  }
  const failure = { ...place, mismatches: [mismatch], history: [], output }
  return {
    path: ['app'],
    verb: 'verify',
    title: 'start the application',
    depth: 0,
    sinceStartMs: 0,
    tookMs: 0,
    ...place,
    failure,
  }
}

/** The result if the simulator refused the setup, or the setup refers to a missing value. */
function setupFailure({ positions }: Scenario, cause: ControlError | UnknownReferenceError): StepRecord {
  const place = positions.of([])
  const answer = cause instanceof ControlError ? cause.answer : undefined
  const actual = answer ? (answer.body ?? answer.status) : 'nothing'
  const mismatch = {
    path: [],
    subject: 'simulator',
    expected: 'success',
    actual,
    why: cause.message,
    ...place,
  }
  const failure = { ...place, mismatches: [mismatch], history: [], ...(answer ? { answer } : {}) }
  const title = 'set up the account'
  return { path: [], verb: 'verify', title, depth: 0, sinceStartMs: 0, tookMs: 0, ...place, failure }
}
