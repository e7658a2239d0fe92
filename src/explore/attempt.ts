import {
  type Patience,
  runScenario,
  type Scenario,
  type ScenarioData,
  type ScenarioResult,
  SharedApplication,
  type Target,
} from '../scenario/index.ts'
import { disturbedStory } from './disturbed-story.ts'
import type { Place } from './kinds.ts'
import type { StoryRecord } from './story-record.ts'

/** What became of one try. */
export interface Attempt {
  readonly places: readonly Place[]
  readonly outcome: 'survived' | 'failed' | 'not met' | 'not judged'
  readonly fault?: Fault
  readonly result: ScenarioResult
}

/** What was wrong with the application in one run. */
export interface Fault {
  /** The same for the same fault in another run. */
  readonly sameAs: string
  readonly message: string
  readonly expected: unknown
  readonly actual: unknown
}

/** Runs of one scenario, one after the other or some at a time: each worker has an application of its own. */
export class Attempts {
  readonly #idle: SharedApplication[] = []
  #count = 0

  constructor(
    private readonly scenario: Scenario,
    private readonly target: Target,
    private readonly name: string,
    private readonly seed: number,
  ) {}

  /** The story as it is, or with some of its steps replaced. */
  async play(
    data: ScenarioData,
    patience: Patience | undefined,
  ): Promise<{ result: ScenarioResult; run: string }> {
    this.#count += 1
    const run = `${this.name}-${this.#count}`
    const isShared = data.app?.fresh === 'never'
    const shared = isShared ? (this.#idle.pop() ?? new SharedApplication()) : undefined
    // An application that goes on from run to run must not meet an id again; a fresh one repeats to the byte.
    const seeded = { ...data, seed: isShared ? `${this.seed} ${this.#count}` : (data.seed ?? this.seed) }
    const result = await runScenario(
      { ...this.scenario, data: seeded },
      { target: this.target, run, shared, patience },
    )
    // What failed may have left the application in any state.
    if (shared && !result.ok) await shared.close()
    if (shared) this.#idle.push(shared)
    return { result, run }
  }

  async try(places: readonly Place[], story: StoryRecord, patience: Patience | undefined): Promise<Attempt> {
    const { result, run } = await this.play(disturbedStory(this.scenario.data, places, story), patience)
    return { places, result, ...judge(result, run) }
  }

  async close(): Promise<void> {
    for (const shared of this.#idle) await shared.close()
  }
}

function judge(result: ScenarioResult, run: string): Pick<Attempt, 'outcome' | 'fault'> {
  const { application: seen } = result
  const isUnmet = (seen?.unmet.length ?? 0) > 0
  if (result.ok) return { outcome: isUnmet ? 'not met' : 'survived' }
  // The plain run shows that it starts: what came in between is the machine's.
  if (!seen) return { outcome: 'not judged' }
  const fault = faultOf(result, run)
  // Time went further than in the story, or nothing was disturbed: the application is not to blame.
  if (fault.isExpectation && (seen?.isTainted || isUnmet)) return { outcome: 'not judged' }
  return { outcome: 'failed', fault }
}

/** The first thing that was wrong, without what differs from run to run. */
function faultOf(
  { steps, application }: ScenarioResult,
  run: string,
): Fault & { readonly isExpectation: boolean } {
  const failed = steps.find(({ failure }) => failure)
  const [mismatch] = failed?.failure?.mismatches ?? []
  const plain = (text: string) => withoutNames(text, run)
  if (!failed || !mismatch)
    return { sameAs: 'nothing', message: 'it failed', expected: null, actual: null, isExpectation: true }
  // What explains the rest: an application that ended answers nothing, one that believes a forger has a wrong state.
  const [misdeed] = CAUSES.flatMap(what => application?.misdeeds.filter(one => one.what === what) ?? [])
  if (misdeed && mismatch.subject !== 'application')
    return {
      sameAs: misdeed.what,
      message: plain(misdeed.message),
      expected: null,
      actual: misdeed.what,
      isExpectation: false,
    }
  const { subject, expected, actual, why } = mismatch
  if (subject === 'application')
    return { sameAs: String(actual), message: plain(why ?? ''), expected, actual, isExpectation: false }
  const title = plain(failed.title)
  const said =
    why === undefined ? `${subject} is ${shown(actual)}, not ${shown(expected)}` : `${subject} ${why}`
  return {
    sameAs: `${failed.verb} ${title.replace(/\d+/g, '#')} ${subject}`,
    message: plain(`${title}: ${said}`),
    expected,
    actual,
    isExpectation: true,
  }
}

/** The misdeeds that other faults follow from. */
const CAUSES = ['ended', 'forgery believed', 'second payment'] as const

const shown = (value: unknown) =>
  value === undefined || typeof value === 'symbol' ? 'not there' : JSON.stringify(value)

/** Runs, ids and ports are others each time. */
export const withoutNames = (text: string, run: string) =>
  (run === '' ? text : text.replaceAll(run, '${run}'))
    .replace(/\b([a-z]+)_[0-9A-Za-z]{20,}/g, '$1_…')
    .replace(/\b(127\.0\.0\.1|localhost|\[::1\]):\d+/g, '$1')
