import type { Kind } from '../application/disturbance.ts'
import type { Patience, Scenario, ScenarioResult, Target } from '../scenario/index.ts'
import { type Attempt, Attempts, type Fault } from './attempt.ts'
import { describePlace, KIND_RULES, type KindSettings, type Place, placesOf } from './kinds.ts'
import { pairsOf } from './pairs.ts'
import { common, differences, recordOf, type StoryRecord } from './story-record.ts'

export interface ExploreSettings extends KindSettings {
  readonly target: Target
  readonly run: string
  readonly seed: number
  readonly jobs: number
  readonly kinds: readonly Kind[]
  readonly mostRuns?: number | undefined
  readonly forMs?: number | undefined
  /** Reports progress to the user. */
  readonly tried?: (attempt: Attempt, done: number, of: number) => void
}

/** A fault of the application, with the smallest disturbance that causes it. */
export interface Finding {
  readonly kinds: readonly Kind[]
  readonly places: readonly Place[]
  readonly fault: Fault
  /** How many disturbances caused the same fault. */
  readonly alike: number
  /** How many of the repeated runs failed. */
  readonly failed: number
  readonly of: number
  readonly attempt: Attempt
}

export interface KindCount {
  readonly kind: Kind
  readonly places: number
  tried: number
  failed: number
  notMet: number
  notJudged: number
}

export interface Exploration {
  readonly scenario: Scenario
  readonly seed: number
  readonly plain: ScenarioResult
  /** Undefined if the plain run failed. */
  readonly story?: StoryRecord
  readonly differences: readonly string[]
  readonly places: readonly Place[]
  readonly counts: readonly KindCount[]
  readonly attempts: readonly Attempt[]
  readonly findings: readonly Finding[]
  readonly singlesTried: number
  readonly tookMs: number
  /** The wall time of the runs with disturbances, without plain runs and confirmations. */
  readonly tryingMs: number
}

/** The time limit for pairs if the user sets no limit. */
const PAIRS_UNTIL_MS = 60_000
const CONFIRMATIONS = 3

/** Runs a scenario as it is, then again and again with disturbances. */
export async function explore(scenario: Scenario, settings: ExploreSettings): Promise<Exploration> {
  const exploring = new Exploring(scenario, settings)
  try {
    return await exploring.explore()
  } finally {
    await exploring.attempts.close()
  }
}

class Exploring {
  readonly attempts: Attempts
  readonly #startedAt = performance.now()
  readonly #tried: Attempt[] = []
  readonly #findings: Finding[] = []
  #tryingMs = 0

  constructor(
    private readonly scenario: Scenario,
    private readonly settings: ExploreSettings,
  ) {
    this.attempts = new Attempts(scenario, settings.target, settings.run, settings.seed)
  }

  async explore(): Promise<Exploration> {
    const { data } = this.scenario
    const first = await this.attempts.play(data, undefined)
    if (!first.result.ok) return this.#exploration(first.result, undefined, [], [])
    const second = await this.attempts.play(data, undefined)
    if (!second.result.ok) return this.#exploration(second.result, undefined, [], [])
    const [one, other] = [first, second].map(({ result, run }) => recordOf(data, result, run)) as [
      StoryRecord,
      StoryRecord,
    ]
    const story = common(one, other)
    const places = placesOf(story, this.#kinds(), this.settings)
    await this.#trySingles(places, story)
    await this.#tryPairs(places, story)
    return this.#exploration(first.result, story, differences(one, other), places)
  }

  /** Leaves out kinds that need a new process for each run if one process serves all runs. */
  #kinds(): Kind[] {
    const { app } = this.scenario.data
    const canRestart = app?.start !== undefined && app.fresh !== 'never'
    return this.settings.kinds.filter(kind => canRestart || !KIND_RULES[kind].restarts)
  }

  get #leftMs(): number {
    const { forMs } = this.settings
    return forMs === undefined ? Number.POSITIVE_INFINITY : forMs - (performance.now() - this.#startedAt)
  }

  get #leftRuns(): number {
    return (this.settings.mostRuns ?? Number.POSITIVE_INFINITY) - this.#tried.length
  }

  async #trySingles(places: readonly Place[], story: StoryRecord): Promise<void> {
    const tried = await this.#tryAll(places.map(place => [place])[Symbol.iterator](), story, places.length)
    await this.#confirm(tried, story)
  }

  async #tryPairs(places: readonly Place[], story: StoryRecord): Promise<void> {
    const { forMs, mostRuns, seed } = this.settings
    const survived = new Set(
      this.#tried.filter(({ outcome }) => outcome === 'survived').flatMap(attempt => attempt.places),
    )
    const pairs = pairsOf(
      places.filter(place => survived.has(place)),
      seed,
    )
    const until = forMs === undefined && mostRuns === undefined ? PAIRS_UNTIL_MS : Number.POSITIVE_INFINITY
    const limited = limit(pairs, () => performance.now() - this.#startedAt < until)
    const tried = await this.#tryAll(limited, story, places.length)
    await this.#confirm(tried, story)
  }

  /** Runs as many at a time as there are jobs. The results are in the order of the plan. */
  async #tryAll(plan: Iterator<readonly Place[]>, story: StoryRecord, of: number): Promise<Attempt[]> {
    const results: Attempt[] = []
    const startedAt = performance.now()
    let begun = 0
    const room = this.#leftRuns
    const work = async () => {
      while (this.#leftMs > 0 && begun < room) {
        const next = plan.next()
        if (next.done) return
        const at = begun++
        const attempt = await this.attempts.try(next.value, story, firstTryPatience(next.value, story))
        results[at] = attempt
        this.settings.tried?.(attempt, this.#tried.length + results.filter(Boolean).length, of)
      }
    }
    await Promise.all(Array.from({ length: this.settings.jobs }, work))
    this.#tryingMs += performance.now() - startedAt
    this.#tried.push(...results)
    return results
  }

  /** Of failures that are alike, repeats the simplest one, with the time limits of a plain run. */
  async #confirm(tried: readonly Attempt[], story: StoryRecord): Promise<void> {
    const groups = new Map<string, Attempt[]>()
    for (const attempt of tried) {
      if (attempt.outcome !== 'failed') continue
      const kinds = attempt.places.map(({ kind }) => kind).join(' + ')
      const key = `${kinds}: ${attempt.fault?.sameAs}`
      groups.set(key, [...(groups.get(key) ?? []), attempt])
    }
    const waiting = [...groups.values()]
    const found: (Finding | undefined)[] = []
    let next = 0
    const work = async () => {
      for (let at = next++; at < waiting.length; at = next++)
        found[at] = await this.#confirmOne(waiting[at] ?? [], story)
    }
    // Use more workers than jobs: confirmations mostly wait for something that does not happen.
    await Promise.all(Array.from({ length: 2 * this.settings.jobs }, work))
    this.#findings.push(...found.filter(finding => finding !== undefined))
  }

  async #confirmOne(alike: readonly Attempt[], story: StoryRecord): Promise<Finding | undefined> {
    const simplest = await this.#shrink(latestOf(alike), story)
    let failed = 0
    let of = 0
    let shown = simplest
    for (let nth = 0; nth < CONFIRMATIONS && (nth === 0 || this.#leftMs > 0); nth++) {
      // After one failure with the full time limits, slowness is not the cause.
      const haste = failed > 0 ? firstTryPatience(simplest.places, story) : undefined
      const again = await this.attempts.try(simplest.places, story, haste)
      of += 1
      if (again.outcome !== 'failed') continue
      failed += 1
      if (failed === 1) shown = again
    }
    // It was only slow: it passed with the file's time limits.
    if (failed === 0 && mayBeOnlySlow(simplest)) {
      for (const attempt of alike) attempt.outcome = 'survived'
      return undefined
    }
    const { fault } = shown
    if (!fault) return undefined
    const kinds = simplest.places.map(({ kind }) => kind)
    return { kinds, places: simplest.places, fault, alike: alike.length, failed, of, attempt: shown }
  }

  /** Tries smaller forms of a disturbance, and returns the first that also fails. */
  async #shrink(attempt: Attempt, story: StoryRecord): Promise<Attempt> {
    for (const [at, place] of attempt.places.entries())
      for (const smaller of KIND_RULES[place.kind].smaller?.(place) ?? []) {
        if (this.#leftMs <= 0) return attempt
        const places = attempt.places.with(at, smaller)
        const known = this.#tried.find(other => sameIn(other.places, places))
        const again = known ?? (await this.attempts.try(places, story, firstTryPatience(places, story)))
        if (again.outcome === 'failed') return again
      }
    return attempt
  }

  #exploration(
    plain: ScenarioResult,
    story: StoryRecord | undefined,
    differences: readonly string[],
    places: readonly Place[],
  ): Exploration {
    return {
      scenario: this.scenario,
      seed: this.settings.seed,
      plain,
      ...(story ? { story } : {}),
      differences,
      places,
      counts: this.settings.kinds.map(kind => countOf(kind, places, this.#tried)),
      attempts: this.#tried,
      findings: this.#findings,
      singlesTried: this.#tried.filter(attempt => attempt.places.length === 1).length,
      tookMs: performance.now() - this.#startedAt,
      tryingMs: this.#tryingMs,
    }
  }
}

function countOf(kind: Kind, places: readonly Place[], tried: readonly Attempt[]): KindCount {
  const own = tried.filter(attempt => attempt.places.length === 1 && attempt.places[0]?.kind === kind)
  const with_ = (outcome: Attempt['outcome']) => own.filter(attempt => attempt.outcome === outcome).length
  return {
    kind,
    places: places.filter(place => place.kind === kind).length,
    tried: own.length,
    failed: with_('failed'),
    notMet: with_('not met'),
    notJudged: with_('not judged'),
  }
}

/** Short time limits for a first try. A failure is repeated with the full ones. */
function firstTryPatience(places: readonly Place[], { finalLooks }: StoryRecord): Patience {
  const usualMs = Math.max(20, ...finalLooks.map(({ tookMs }) => tookMs))
  // After a failed call or a start, an application may wait before it retries.
  const isPaused = places.some(
    ({ kind }) => kind.startsWith('call-') || kind === 'restart' || kind === 'webhook-early',
  )
  return { midwayMs: 100 + 2 * usualMs, atEndMs: (isPaused ? 1600 : 250) + 4 * usualMs }
}

const mayBeOnlySlow = ({ fault }: Attempt) => fault?.sameAs.startsWith('expect app') ?? false

/** The latest place is the most informative: everything before it went well. */
const latestOf = (alike: readonly Attempt[]): Attempt =>
  alike.reduce((latest, attempt) => (lastStep(attempt) >= lastStep(latest) ? attempt : latest))
const lastStep = ({ places }: Attempt) => Math.max(...places.map(({ before }) => before))

const sameIn = (one: readonly Place[], other: readonly Place[]) =>
  one.map(describePlace).join() === other.map(describePlace).join()

function* limit<T>(items: Iterable<T>, goesOn: () => boolean): Generator<T> {
  for (const item of items) {
    if (!goesOn()) return
    yield item
  }
}

/** Decides the exit code: whether there are findings, else whether every place was tried. */
export function verdictOf({
  story,
  findings,
  places,
  singlesTried,
}: Exploration): 'found' | 'survived' | 'not all tried' | 'plain run fails' {
  if (!story) return 'plain run fails'
  if (findings.length > 0) return 'found'
  return places.length > 0 && singlesTried >= places.length ? 'survived' : 'not all tried'
}
