import { createHash } from 'node:crypto'
import type { Application } from '../../application/application.ts'
import { ApplicationError } from '../../application/application-error.ts'
import { ControlError } from '../../client/errors.ts'
import type { Mismatch } from '../expect/match.ts'
import type { FileProblem, Path, ScenarioError } from '../load/problems.ts'
import { CHECKS, type Check, type Scenario } from '../schema/file.ts'
import { isFlow, titleOf, VERBS, verbsOf } from '../verbs/index.ts'
import type { PlainVerb } from '../verbs/verb.ts'
import type { Use } from './account.ts'
import { type ApplicationSettings, openApplication } from './open-application.ts'
import type { ApplicationReport } from './played-application.ts'
import { UnknownReferenceError } from './scope.ts'
import { Stage } from './stage.ts'
import {
  recordStep,
  resultOf,
  StepFailedError,
  type StepFailure,
  type StepRecord,
  type StepRun,
} from './step-result.ts'
import type { Target } from './target.ts'

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

interface Repetition {
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

interface RunSettings extends ApplicationSettings {
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
    stage = await Stage.open(scenario, settings.target, settings.run, webhookSecretFor(scenario, settings))
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

/** An application that serves several runs was given one secret. */
function webhookSecretFor({ data }: Scenario, { shared, target }: RunSettings): string | undefined {
  const given = data.app?.url !== undefined && target.kind === 'simulator' ? target.given : undefined
  return (shared?.application?.credentials ?? given?.credentialsOf(data.environment ?? 'test'))?.webhookSecret
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
    await stage.application?.conclude(stage)
    return false
  }
  const { application } = stage
  if (application && !application.isJudgedAtEnd) await application.lookAgain()
  const mismatches = [
    ...((await application?.conclude(stage)) ?? []),
    ...(application?.isJudgedAtEnd ? [] : await verify(stage)),
  ]
  if (mismatches.length === 0) return true
  const output = application?.app.output ?? []
  const { sinceStartMs, scenario } = stage
  const more = output.length > 0 ? { output } : {}
  records.push(failureOf(scenario, { path: ['verify'], title: 'verify', mismatches, sinceStartMs, ...more }))
  return false
}

/** The application did not start, or does not answer. */
const startFailure = (scenario: Scenario, { message, output }: ApplicationError): StepRecord =>
  failureOf(scenario, {
    path: ['app'],
    title: `${scenario.data.app?.url === undefined ? 'start' : 'reach'} the application`,
    mismatches: [miss(['app'], 'application', 'a running application', null, message)],
    output,
  })

/** The simulator refused the setup, or the setup refers to a missing value. */
function setupFailure(scenario: Scenario, cause: ControlError | UnknownReferenceError): StepRecord {
  const answer = cause instanceof ControlError ? cause.answer : undefined
  const actual = answer ? (answer.body ?? answer.status) : 'nothing'
  return failureOf(scenario, {
    path: [],
    title: 'set up the account',
    mismatches: [miss([], 'simulator', 'success', actual, cause.message)],
    ...(answer ? { answer } : {}),
  })
}

interface Failed extends Pick<StepFailure, 'answer' | 'output'> {
  readonly path: Path
  readonly title: string
  readonly mismatches: readonly Mismatch[]
  readonly sinceStartMs?: number
}

/** A failure before the first step or after the last one. */
function failureOf(
  { positions }: Scenario,
  { path, title, mismatches, sinceStartMs = 0, ...more }: Failed,
): StepRecord {
  const placed = mismatches.map(mismatch => ({ ...mismatch, ...positions.of(mismatch.path) }))
  const { line, column } = placed[0] ?? positions.of(path)
  const failure = { line, column, mismatches: placed, history: [], ...more }
  const place = () => ({ line, column })
  return { path, place, verb: 'verify', title, depth: 0, sinceStartMs, tookMs: 0, failure }
}

async function playSteps(steps: readonly object[], path: Path, run: StepRun): Promise<void> {
  for (const [at, step] of steps.entries()) {
    const { application } = run.stage
    if (application && run.depth === 0) application.run.step = at
    await playStep(step, [...path, at], run)
  }
}

async function playStep(step: object, path: Path, run: StepRun): Promise<void> {
  const [name = ''] = verbsOf(step)
  const entry = VERBS.get(name)
  if (!entry) throw new Error(`a step without a verb passed the check: ${JSON.stringify(step)}`)
  if (!isFlow(entry)) return playPlain(entry, step, path, run)
  await recordStep({ verb: name, title: titleOf(entry, step), path, tookMs: 0 }, { mismatches: [] }, run)
  return entry.playInside(step, path, run, { steps: playSteps, step: playStep })
}

async function playPlain(entry: PlainVerb, step: object, path: Path, run: StepRun): Promise<void> {
  const { stage, scope } = run
  const startedAt = performance.now()
  let resolved = step
  const result = await resultOf(async () => {
    resolved = scope.resolve(step)
    run.onStep(titleOf(entry, resolved))
    const { [entry.name]: value } = resolved as Record<string, unknown>
    const result = await entry.play({ step: resolved, value, stage, scope, path })
    if (entry.moves) stage.noteActivity()
    if (!run.racing) await stage.settle()
    return result
  })
  const { as } = resolved as { as?: string }
  if (as !== undefined) scope.set(as, result.value, result.answer)
  const tookMs = performance.now() - startedAt
  await recordStep(
    { verb: entry.name, title: titleOf(entry, resolved), path, tookMs },
    stage.application?.countsNot(entry) ? { ...result, mismatches: [] } : result,
    run,
  )
}

/** What must be true at the end of a scenario. */
async function verify(stage: Stage): Promise<Mismatch[]> {
  const wanted = stage.scenario.data.verify
  if (wanted === undefined) return []
  await stage.settle()
  const found: Mismatch[] = []
  for (const check of wanted === 'all' ? CHECKS : wanted) found.push(...(await CHECK[check](stage)))
  return found
}

const CHECK: Readonly<Record<Check, (stage: Stage) => Promise<Mismatch[]>>> = {
  rules: async stage => unused(await uses('rules', stage), 'matched no payment or payout'),
  faults: async stage => unused(await uses('faults', stage), 'matched no call or webhook'),
  intents: async stage => {
    const matched = (await uses('rules', stage)).reduce((sum, { used }) => sum + used, 0)
    const { control } = stage.simulated
    const [payments, payouts] = [await control.payments.list(), await control.payouts.list()]
    const all = payments.filter(({ route }) => route !== null).length + payouts.length
    return all === matched
      ? []
      : [miss(['verify'], 'intents', all, matched, `${all - matched} matched no rule of the file`)]
  },
  webhooks: async stage => {
    const { inbox } = stage.simulated
    return inbox.received
      .filter(webhook => !stage.tracker.expected.has(webhook))
      .map(({ type, id }) =>
        miss(['verify'], 'webhooks', 'an expectation', `${type} ${id}`, 'no step expected it'),
      )
  },
}

async function uses(kind: 'rules' | 'faults', stage: Stage): Promise<Use[]> {
  const { used } = await stage.simulated.control[kind].get()
  return stage.tracker.uses(kind, used)
}

const unused = (all: readonly Use[], why: string) =>
  all
    .filter(({ used, off }) => used === 0 && !off)
    .map(({ path, what }) => miss(path, what, 'used', 'unused', why))

const miss = (path: Path, subject: string, expected: unknown, actual: unknown, why: string): Mismatch => ({
  path,
  subject,
  expected,
  actual,
  why,
})

/**
 * Writes everything that happened as lines of JSON: calls and answers, the account's journal, webhooks. The same file,
 * seed and version of paysim give the same bytes. It leaves out what depends on the machine: ports, the wall time in
 * webhook signatures and clock settings, and request ids.
 */
async function transcriptOf(records: readonly StepRecord[], stage: Stage): Promise<string> {
  const lines: object[] = [{ scenario: stage.scenario.data.name, run: stage.run, account: accountOf(stage) }]
  for (const { verb, title, sinceStartMs, sent, answer } of records) {
    const { method, url, body } = sent ?? {}
    lines.push({
      step: verb,
      title,
      since_start_ms: stage.virtual ? sinceStartMs : null,
      ...(sent ? { request: `${method} ${url}`, sent: sentBody(body) } : {}),
      ...(answer
        ? { status: answer.status, headers: shownHeaders(answer.headers), answer: answer.text }
        : {}),
    })
  }
  if (stage.account) lines.push(...(await journalOf(stage)), ...webhooksOf(stage))
  return `${lines.map(line => withoutMachineDetails(JSON.stringify(line), stage)).join('\n')}\n`
}

function accountOf({ account }: Stage) {
  return account && { id: account.id, public_key: account.keys[account.environment].publicKey }
}

/** Shows an upload by its digest, because a form is long and not readable. */
function sentBody(body: string | Buffer | undefined) {
  if (!Buffer.isBuffer(body)) return body
  return { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') }
}

const SHOWN = ['content-type', 'idempotent-replayed', 'location', 'retry-after', 'www-authenticate', 'allow']
const shownHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(SHOWN.filter(name => headers[name] !== undefined).map(name => [name, headers[name]]))

async function journalOf(stage: Stage): Promise<object[]> {
  await stage.settle()
  const { entries } = await stage.simulated.control.export()
  return entries.map(entry => ({ journal: entry }))
}

/** Sorts webhooks by content, because parallel ones arrive in any order. */
function webhooksOf({ simulated: { inbox } }: Stage): object[] {
  return inbox.received
    .map(webhook => ({
      webhook: inbox.texts.get(webhook),
      attempt: webhook.attempt,
      answered: webhook.answered,
    }))
    .sort((a, b) => (a.webhook ?? '').localeCompare(b.webhook ?? '', 'en') || a.attempt - b.attempt)
}

function withoutMachineDetails(line: string, { target }: Stage): string {
  const receiver = target.kind === 'simulator' ? target.receiver.url : target.baseUrl
  return line
    .replaceAll(target.baseUrl, 'http://paysim')
    .replaceAll(receiver, 'http://receiver')
    .replace(/req_[0-9A-Za-z]{24}/g, 'req_')
    .replace(/"timestamp":\d+/g, '"timestamp":0')
    .replace(/(webhook-timestamp\\*":\\*")\d+/g, '$10')
    .replace(/v1,[A-Za-z0-9+/]{43}=/g, 'v1,')
}
