import { stripVTControlCharacters } from 'node:util'
import type { Violation } from '../application/application-run.ts'
import { type DisturbanceKind, KINDS } from '../application/disturbance.ts'
import { commandLine } from '../application/process-family.ts'
import { isRecord } from '../contract/json.ts'
import type { Scenario, ScenarioResult } from '../scenario/index.ts'
import { type Attempt, type Explored, type Failure, type Played, withoutNames } from './attempt.ts'
import type { Finding } from './confirm.ts'
import { type Exploration, type ExploreSettings, exploreWith } from './explore.ts'
import type { PlacedDisturbance } from './kinds.ts'
import { type RunSlot, RunSlots } from './run-slots.ts'
import { either, type SeenByGateway, seenIn, violationsIn } from './seen-by-gateway.ts'
import { recordOf, type StoryRecord } from './story-record.ts'
import { type SuiteEnding, SuiteRun } from './suite-run.ts'

/** Runs the test command once, with a simulator of its own. */
export type RunSuite = (run: SuiteRun, seed: string, withinMs: number | undefined) => Promise<SuiteEnding>

interface SuiteSettings extends Omit<ExploreSettings, 'mustBeSame'> {
  readonly command: readonly string[]
  readonly runSuite: RunSuite
  /** Whether two plain runs that differ are explored over what is the same. */
  readonly tolerate: boolean
}

/** Runs a test command twice as it is, then again and again with one disturbance each. */
export async function exploreSuite({
  command,
  runSuite,
  tolerate,
  ...settings
}: SuiteSettings): Promise<Exploration> {
  const scenario = scenarioOf(command)
  const slots = new RunSlots(settings.jobs)
  const attempts = new SuiteAttempts(scenario, runSuite, settings.seed, slots)
  const exploration = await exploreWith(attempts, slots, scenario, { ...settings, mustBeSame: !tolerate })
  return { ...exploration, command }
}

/** Why a test command is not explored with a kind, if it is not. */
export function reasonAgainst(kind: DisturbanceKind): string | undefined {
  if (kind === 'webhook-order' || kind === 'webhook-late')
    return 'the event would come later, and the tests of a right program may fail over that'
  const needsSteps = /^(restart$|return-|click-)/.test(kind)
  return needsSteps ? 'only the steps of a scenario tell where it can happen' : undefined
}

/** The test command in the form of a scenario, which all reports can show. */
function scenarioOf(command: readonly string[]): Scenario {
  const name = commandLine(command)
  const positions = { text: '', of: () => ({ line: 1, column: 1 }) }
  return { file: name, folder: '.', data: { paysim: 1, name, steps: [] }, positions }
}

/** A command that a disturbance makes hang is ended after so many times its usual time, and this. */
const USUAL_TIMES = 10
const AT_LEAST_MS = 30_000

class SuiteAttempts implements Explored {
  #count = 0
  /** What the command prints if nothing is disturbed. */
  readonly #usual = new Set<string>()
  #usualMs: number | undefined
  /** What the gateway sees if nothing is disturbed. */
  #seen: SeenByGateway | undefined

  constructor(
    private readonly scenario: Scenario,
    private readonly runSuite: RunSuite,
    private readonly seed: number,
    private readonly slots: RunSlots,
  ) {}

  async plain(): Promise<Played> {
    const played = await this.#play([])
    this.#usualMs = Math.max(this.#usualMs ?? 0, played.result.tookMs)
    const { application } = played.result
    for (const line of application?.output ?? []) this.#usual.add(withoutNumbers(line))
    const seen = application && seenIn(application)
    this.#seen = seen && this.#seen ? either(seen, this.#seen) : seen
    return played
  }

  recordOf({ result, run }: Played): StoryRecord {
    return recordOf(this.scenario.data, result, run)
  }

  async try(
    places: readonly PlacedDisturbance[],
    _story?: StoryRecord,
    _patience?: unknown,
    slot?: RunSlot,
  ): Promise<Attempt> {
    const { result, run } = await this.#play(places, slot)
    // A suite has time limits of its own, so a failure that hardly ever repeats may come from a slow machine.
    const isSlow = places.length > 0
    return { places, result, run, isHasty: true, isSlow, ...judge(places, result, this.#seen) }
  }

  async #play(places: readonly PlacedDisturbance[], given?: RunSlot): Promise<Played> {
    const slot = given ?? (await this.slots.take())
    this.#count += 1
    const startedAt = performance.now()
    const run = new SuiteRun(places, () => slot.noteActivity())
    try {
      // A database of the suite's own may outlive the run, so no id repeats.
      const withinMs = this.#usualMs === undefined ? undefined : AT_LEAST_MS + USUAL_TIMES * this.#usualMs
      const ending = await this.runSuite(run, `${this.seed} ${this.#count}`, withinMs)
      const tookMs = performance.now() - startedAt
      return { result: resultOf(this.scenario, run, { ...ending, tookMs, usual: this.#usual }), run: '' }
    } finally {
      await run.close()
      slot.end()
    }
  }

  async close(): Promise<void> {}
}

function judge(
  places: readonly PlacedDisturbance[],
  { ok, application, steps }: ScenarioResult,
  usual: SeenByGateway | undefined,
): Pick<Attempt, 'outcome' | 'failure'> {
  const isUnmet = (application?.unmet.length ?? 0) > 0
  const what = places.map(({ event, call }) => event ?? call).join(' and ')
  const [violation] = application && usual && !isUnmet ? violationsIn(application, usual) : []
  if (violation) return { outcome: 'failed', failure: failureOf(violation, what) }
  if (ok) return { outcome: isUnmet ? 'not met' : 'survived' }
  if (isUnmet) return { outcome: 'not judged' }
  const [mismatch] = steps[0]?.failure?.mismatches ?? []
  const failure: Failure = {
    sameAs: `${what} ${mismatch?.actual}`,
    symptom: withoutNumbers(withoutNames(`${mismatch?.why}`, '')),
    message: withoutNames(`${steps[0]?.title} ${mismatch?.why}`, ''),
    expected: mismatch?.expected,
    actual: mismatch?.actual,
  }
  return { outcome: 'failed', failure }
}

/** Something that the gateway saw, whether the tests noticed it or not. */
const failureOf = ({ what, message, sameAs }: Violation, place: string): Failure => ({
  sameAs: `${place} ${sameAs}`,
  symptom: sameAs,
  message: withoutNames(message, ''),
  expected: null,
  actual: what,
})

interface JudgedEnding extends SuiteEnding {
  readonly tookMs: number
  readonly usual: ReadonlySet<string>
}

/** The run of a test command in the form of a scenario with one step. */
function resultOf(
  { file, data }: Scenario,
  run: SuiteRun,
  { status, problem, output: printed, tookMs, usual }: JudgedEnding,
): ScenarioResult {
  const output = printed.map(printable)
  const ok = status === 0 && problem === undefined
  const at = { line: 1, column: 1 }
  const said = complaintIn(output.filter(line => !usual.has(withoutNumbers(line))))
  const why = problem ?? `exited with ${status}${said === undefined ? '' : `: ${said}`}`
  const mismatch = { path: [], subject: 'exit status', expected: 0, actual: status, why, ...at }
  const failure = { ...at, mismatches: [mismatch], history: [], output }
  const title = data.name
  const step = { path: [], place: () => at, verb: 'suite', title, depth: 0, sinceStartMs: 0, tookMs }
  return {
    file,
    name: data.name,
    ok,
    tookMs,
    passedMs: 0,
    virtual: false,
    steps: [{ ...step, ...(ok ? {} : { failure }) }],
    application: run.report(output),
  }
}

const MOST_PRINTED = 15

/** The end of what the command or the application printed, in which most of them say what failed. */
export const printedIn = ({ result }: Pick<Attempt, 'result'>): readonly string[] =>
  (result.application?.output ?? [])
    .map(printable)
    .filter(line => line.trim() !== '')
    .slice(-MOST_PRINTED)

/** Without colours, and without what would move the cursor of a terminal. */
const printable = (line: string) => stripVTControlCharacters(line).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')

const LONGEST = 160

const withoutNumbers = (line: string) => line.replace(/\d+/g, '#').trim()

/** What comes before a value, which is on the next line. */
const LABEL = /^\W*\w+( \w+)?:\s*[|>]?-?$/

/** The line in which a test runner or a shell most likely says what is wrong. */
function complaintIn(output: readonly string[]): string | undefined {
  const lines = output.filter(line => line.trim() !== '' && !LABEL.test(line.trim()))
  const said =
    lines.find(line => /\b\w*(Error|Exception)\b.*:/.test(line)) ??
    lines.find(line => /\b(FAIL(ED)?|not ok)\b|^\s*[✖✗✘×●]/i.test(line)) ??
    lines.find(line => /\bexpected\b/i.test(line)) ??
    lines.at(-1)
  return said?.trim().slice(0, LONGEST)
}

/** The place of a finding as a saved file has it. */
const savedPlace = ({ kind, before: _, behindNext, ...place }: PlacedDisturbance) => ({
  disturb: kind,
  ...place,
  ...(behindNext ? { behind_next: true } : {}),
})

/** What a saved file of a finding contains. */
export const savedSuite = (command: readonly string[], { kinds, places, failure }: Finding) => ({
  paysim: 1,
  name: `${commandLine(command)}: ${kinds.join(' and ') || 'undisturbed'}`,
  suite: [...command],
  ...(isSeenByGateway(failure) ? { compares: true } : {}),
  disturbances: places.map(savedPlace),
})

/** Whether only an undisturbed run tells that it is a failure. */
const isSeenByGateway = ({ actual }: Failure) => actual === 'second payment' || actual === 'error answer'

export const repeatingCommand = (path: string, command: readonly string[]) =>
  `paysim explore --suite --repeat ${commandLine([path])} -- ${commandLine(command)}`

const TEXTS = ['account', 'reference', 'event', 'call', 'delay'] as const
const NUMBERS = ['nth', 'attempts'] as const

/** Whether a saved file is about something that only an undisturbed run tells. */
export const comparesIn = (value: unknown): boolean => isRecord(value) && value.compares === true

/** Reads the disturbances of a saved file. Throws a sentence about what is wrong with it. */
export function placesOfSaved(value: unknown): PlacedDisturbance[] {
  const { disturbances } = isRecord(value) ? value : {}
  if (!Array.isArray(disturbances))
    throw new Error('it has no disturbances: name a file that `paysim explore --suite` saved')
  return disturbances.map(placeOfSaved)
}

function placeOfSaved(value: unknown): PlacedDisturbance {
  const { disturb, when, behind_next: behindNext, ...rest } = isRecord(value) ? value : {}
  const kind = KINDS.find(known => known === disturb)
  if (kind === undefined) throw new Error(`${JSON.stringify(disturb)} is not a kind of disturbance`)
  const reason = reasonAgainst(kind)
  if (reason !== undefined) throw new Error(`a test command is not disturbed with ${kind}: ${reason}`)
  for (const [name, member] of Object.entries(rest)) {
    const isRight =
      (TEXTS.some(known => known === name) && typeof member === 'string') ||
      (NUMBERS.some(known => known === name) && Number.isInteger(member) && Number(member) > 0)
    if (!isRight) throw new Error(`${name}: ${JSON.stringify(member)} does not belong to a disturbance`)
  }
  if (when !== undefined && when !== 'before' && when !== 'after')
    throw new Error(`when: ${JSON.stringify(when)} must be before or after`)
  return {
    kind,
    before: 0,
    ...rest,
    ...(when === undefined ? {} : { when }),
    ...(behindNext === true ? { behindNext: true } : {}),
  }
}

/** Runs the test command once with the disturbances of a saved file, and before that as it is, if it must be compared. */
export async function repeatSuite(
  { command, runSuite, seed }: Pick<SuiteSettings, 'command' | 'runSuite' | 'seed'>,
  places: readonly PlacedDisturbance[],
  compares: boolean,
): Promise<Attempt> {
  const attempts = new SuiteAttempts(scenarioOf(command), runSuite, seed, new RunSlots(1))
  if (compares) await attempts.plain()
  return attempts.try(places)
}
