import { NO_ANSWER } from '../application/request-once.ts'
import {
  isShared,
  type Patience,
  runScenario,
  type Scenario,
  type ScenarioData,
  type ScenarioResult,
  SharedApplication,
  type Target,
} from '../scenario/index.ts'
import { disturbedStory, type PlacedDisturbance } from './kinds.ts'
import type { RunSlot, RunSlots } from './run-slots.ts'
import { recordOf, type StoryRecord } from './story-record.ts'

/** The outcome of one run with disturbances. */
export interface Attempt {
  readonly places: readonly PlacedDisturbance[]
  outcome: 'survived' | 'failed' | 'not met' | 'not judged'
  readonly failure?: Failure
  /** It failed before the time that the file allows was over, in the same way as an earlier run. */
  readonly isHasty: boolean
  /** The machine may have been too slow: an answer did not arrive in time, or paysim itself could not run. */
  readonly isSlow: boolean
  readonly result: ScenarioResult
  /** The value of `${run}` in it. */
  readonly run: string
}

/** What was wrong with the application in one run. */
export interface Failure {
  /** The same text for the same failure in another run. */
  readonly sameAs: string
  /** The same text for the same failure after another disturbance; that is `sameAs`, if it is not given. */
  readonly symptom?: string
  readonly message: string
  readonly expected: unknown
  readonly actual: unknown
}

export const symptomOf = ({ symptom, sameAs }: Failure): string => symptom ?? sameAs

/** A run, with the value of `${run}` in it. */
export interface Played {
  readonly result: ScenarioResult
  readonly run: string
}

/** What is run again and again: a scenario with its application, or a test command. */
export interface Explored {
  /** Runs it as it is. */
  plain(): Promise<Played>
  recordOf(played: Played): StoryRecord
  /** Runs it with disturbances. Without any, it is still judged as a disturbed run is. */
  try(
    places: readonly PlacedDisturbance[],
    story: StoryRecord,
    patience: Patience | undefined,
    slot?: RunSlot,
  ): Promise<Attempt>
  /** Why nothing more can be tried, if that is so. */
  readonly gone?: string | undefined
  close(): Promise<void>
}

/** Runs one scenario again and again. Runs may be parallel: each worker has its own application. */
export class Attempts implements Explored {
  readonly #idle: SharedApplication[] = []
  readonly #slowness = new SlownessWatch()
  #count = 0
  /** Why an application that runs already was given up. */
  gone: string | undefined

  constructor(
    private readonly scenario: Scenario,
    private readonly target: Target,
    private readonly name: string,
    private readonly seed: number,
    private readonly slots: RunSlots,
    /** Whether an application that runs already is restarted first, which shows that it can be. */
    private readonly restartsFirst: boolean,
  ) {}

  plain(): Promise<Played> {
    return this.play(this.scenario.data, undefined)
  }

  recordOf({ result, run }: Played): StoryRecord {
    return recordOf(this.scenario.data, result, run)
  }

  /** Runs the scenario as it is, or with changed steps. */
  async play(data: ScenarioData, patience: Patience | undefined, slot?: RunSlot): Promise<Played> {
    const own = slot ?? (await this.slots.take())
    try {
      return await this.#play(data, patience, own)
    } finally {
      own.end()
    }
  }

  async #play(data: ScenarioData, patience: Patience | undefined, slot: RunSlot) {
    this.#count += 1
    const run = `${this.name}-${this.#count}`
    const one = isShared(data)
    const shared = one ? (this.#idle.pop() ?? new SharedApplication(this.restartsFirst)) : undefined
    // An application that serves several runs must never see an id again; a new one gets the same bytes each time.
    const seeded = { ...data, seed: one ? `${this.seed} ${this.#count}` : (data.seed ?? this.seed) }
    const result = await runScenario(
      { ...this.scenario, data: seeded },
      { target: this.target, run, shared, patience, onActivity: () => slot.noteActivity() },
    )
    // A failure may have left the application in any state.
    if (shared && !result.ok) await shared.giveUp()
    if (shared) this.#idle.push(shared)
    this.gone = shared?.application?.gone
    return { result, run }
  }

  async try(
    places: readonly PlacedDisturbance[],
    story: StoryRecord,
    patience: Patience | undefined,
    slot?: RunSlot,
  ): Promise<Attempt> {
    const disturbed = disturbedStory(this.scenario.data, places, story)
    const startedAt = performance.now()
    const { result, run } = await this.play(disturbed, patience, slot)
    const verdict = places.length === 0 ? judgeUndisturbed(result, run) : judge(result, run)
    const isSlow = isTimeout(verdict.failure) || this.#slowness.wasSlowSince(startedAt)
    if (verdict.outcome === 'failed' && places.some(goesOn) && wentAnotherWay(result, story))
      return { places, result, run, isHasty: false, isSlow, outcome: 'not judged' }
    return { places, result, run, isHasty: result.application?.isHasty ?? false, isSlow, ...verdict }
  }

  async close(): Promise<void> {
    this.#slowness.close()
    for (const shared of this.#idle) await shared.close()
  }
}

/** What a run shows about the application. */
export function judge(result: ScenarioResult, run: string): Pick<Attempt, 'outcome' | 'failure'> {
  const { application: seen } = result
  const isUnmet = (seen?.unmet.length ?? 0) > 0
  if (result.ok) return { outcome: isUnmet ? 'not met' : 'survived' }
  // The plain run shows that the application starts, so the machine caused this.
  if (!seen) return { outcome: 'not judged' }
  // It failed before the first disturbance, and the plain run did not fail there. So the machine was too slow.
  if (!seen.isDisturbed) return { outcome: 'not judged' }
  const failure = failureOf(result, run)
  // The step that failed is about something else: the disturbance took the story another way, which may be right.
  if (!failure) return { outcome: 'not judged' }
  // Time moved further than in the plain run, or nothing was disturbed: do not blame the application.
  if (failure.isExpectation && (seen.isTainted || isUnmet)) return { outcome: 'not judged' }
  return { outcome: 'failed', failure }
}

/** What a run without a disturbance shows. */
function judgeUndisturbed(result: ScenarioResult, run: string): Pick<Attempt, 'outcome' | 'failure'> {
  if (result.ok) return { outcome: 'survived' }
  const failure = result.application && failureOf(result, run)
  return failure ? { outcome: 'failed', failure } : { outcome: 'not judged' }
}

const goesOn = ({ waits }: PlacedDisturbance) => waits === false

/**
 * Whether a story that goes on without an event became another one: the application lacks the event, so it may rightly
 * refuse a step, or return to the old payment.
 */
function wentAnotherWay({ application }: ScenarioResult, story: StoryRecord): boolean {
  if (!application?.isOver || application.payments === undefined) return true
  return application.payments < (story.payments ?? 0) || writesIn(application.calls) !== writesIn(story.calls)
}

const writesIn = (calls: readonly { readonly operation: string }[]) =>
  calls
    .map(({ operation }) => operation)
    .filter(operation => !operation.startsWith('GET '))
    .sort()
    .join()

/** Steps whose failure shows something about the application. The others ask the gateway, the payer or the operator. */
const OF_THE_APPLICATION = /^(call app|expect app|expect value|repeat|restart|disturb|verify)$/

/** The first thing that was wrong with the application, without what changes from run to run. */
function failureOf(
  { steps, application }: ScenarioResult,
  run: string,
): (Failure & { readonly isExpectation: boolean }) | undefined {
  const failed = steps.find(({ failure }) => failure)
  const [mismatch] = failed?.failure?.mismatches ?? []
  const plain = (text: string) => withoutNames(text, run)
  if (!failed || !mismatch)
    return { sameAs: 'nothing', message: 'it failed', expected: null, actual: null, isExpectation: true }
  const { subject, expected, actual, why } = mismatch
  if (subject === 'application' && /^(verify|restart|disturb)$/.test(failed.verb))
    return { sameAs: String(actual), message: plain(why ?? ''), expected, actual, isExpectation: false }
  const violations = application?.violations ?? []
  // Report the cause first: an application that ended answers nothing, and one that believes a forgery has a wrong
  // state.
  const [cause] = CAUSES.flatMap(what => violations.filter(one => one.what === what))
  const isAboutIt = !failed.failure?.isRefused && OF_THE_APPLICATION.test(failed.verb)
  const violation = cause ?? (isAboutIt ? undefined : violations[0])
  if (violation)
    return {
      sameAs: violation.what,
      message: plain(violation.message),
      expected: null,
      actual: violation.what,
      isExpectation: false,
    }
  if (!isAboutIt) return undefined
  const title = plain(failed.title)
  const difference =
    why === undefined ? `${subject} is ${shown(actual)}, not ${shown(expected)}` : `${subject} ${why}`
  return {
    sameAs: `${failed.verb} ${title.replace(/\d+/g, '#')} ${subject}`,
    message: plain(`${title}: ${difference}`),
    expected,
    actual,
    isExpectation: true,
  }
}

const isTimeout = (failure: Failure | undefined) => failure?.message.includes(NO_ANSWER) ?? false

/** Violations that cause other failures. */
const CAUSES = ['ended', 'forgery believed', 'second payment'] as const

const shown = (value: unknown) =>
  value === undefined || typeof value === 'symbol' ? 'not there' : JSON.stringify(value)

/** Removes run names, ids and ports, which change from run to run. */
export const withoutNames = (text: string, run: string) =>
  (run === '' ? text : text.replaceAll(run, '${run}'))
    .replace(/\b([a-z]+)_[0-9A-Za-z]{20,}/g, '$1_…')
    .replace(/\b(127\.0\.0\.1|localhost|\[::1\]):\d+/g, '$1')

const TICK_MS = 50
const LATE_MS = 300

/** Notes when this process could not run for a while: then an application beside it could not either. */
export class SlownessWatch {
  #tickedAt = performance.now()
  #lateAt = Number.NEGATIVE_INFINITY
  readonly #timer = setInterval(() => this.#tick(), TICK_MS).unref()

  #tick(): void {
    const now = performance.now()
    if (now - this.#tickedAt > TICK_MS + LATE_MS) this.#lateAt = now
    this.#tickedAt = now
  }

  wasSlowSince(startedAt: number): boolean {
    this.#tick()
    return this.#lateAt >= startedAt
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

/**
 * Short time limits for an expectation that failed in the same way in an earlier run. The first failure of its kind has
 * all the time that the file allows, so an application that is only slow never fails.
 */
export class FirstTry {
  readonly #usualMs: number
  readonly #seen = new Set<string>()

  constructor({ finalLooks }: StoryRecord) {
    this.#usualMs = Math.max(20, ...finalLooks.map(({ tookMs }) => tookMs))
  }

  patienceFor(places: readonly PlacedDisturbance[]): Patience {
    return { ...this.#limitsFor(places), mayGiveUp: request => this.#isSeen(places, request) }
  }

  /** For the repetition of a failure that already had all the time that the file allows. */
  shortPatienceFor(places: readonly PlacedDisturbance[]): Patience {
    return { ...this.#limitsFor(places), mayGiveUp: () => true }
  }

  #limitsFor(places: readonly PlacedDisturbance[]) {
    // After a failed call or a start, an application may wait before it retries.
    const isPaused = places.some(
      ({ kind }) => kind.startsWith('call-') || kind === 'restart' || kind === 'webhook-early',
    )
    return { midwayMs: 100 + 2 * this.#usualMs, atEndMs: (isPaused ? 1600 : 250) + 4 * this.#usualMs }
  }

  /** Whether this is a second failure. Pairs are many, so all of them count as one kind. */
  #isSeen(places: readonly PlacedDisturbance[], request: string): boolean {
    const [kind] = places.length === 1 ? places.map(place => place.kind) : ['pair']
    const failure = `${kind} ${request.replace(/\d+/g, '#')}`
    if (this.#seen.has(failure)) return true
    this.#seen.add(failure)
    return false
  }
}
