import { createHash } from 'node:crypto'
import type { DisturbanceKind } from '../application/disturbance.ts'
import { isShared, type Scenario, type ScenarioResult, type Target } from '../scenario/index.ts'
import { type Attempt, Attempts, type Explored, FirstTry, type Played } from './attempt.ts'
import { confirm, type Finding, unrepeated, withoutRepetitions } from './confirm.ts'
import { Interrupted, UntilInterrupted } from './interruption.ts'
import { describePlace, KIND_RULES, type KindSettings, type PlacedDisturbance, placesOf } from './kinds.ts'
import { RunSlots } from './run-slots.ts'
import { common, differences, isInterleaved, type StoryRecord, withSameReferences } from './story-record.ts'
import { withoutFalseCauses } from './undisturbed.ts'

export interface ExploreSettings extends KindSettings {
  readonly seed: number
  readonly jobs: number
  readonly kinds: readonly DisturbanceKind[]
  readonly mostRuns?: number | undefined
  readonly forMs?: number | undefined
  /** For a test command, which has no pairs: whether two plain runs that differ are a reason to stop. */
  readonly mustBeSame?: boolean
  /** Ends the exploration early. */
  readonly signal?: AbortSignal
  /** Reports progress to the user. */
  /** `of` is null while nobody knows how many there will be. */
  readonly tried?: (attempt: Attempt, done: number, of: number | null) => void
}

interface KindCount {
  readonly kind: DisturbanceKind
  readonly places: number
  tried: number
  failed: number
  notMet: number
  notJudged: number
}

export interface Exploration {
  readonly scenario: Scenario
  /** The test command, if that was explored. */
  readonly command?: readonly string[]
  readonly seed: number
  readonly plain: ScenarioResult
  /** The name of that run, which texts in it hold. */
  readonly plainRun: string
  /** Undefined if the plain run failed. */
  readonly story?: StoryRecord
  readonly differences: readonly string[]
  /** Whether a test command used several accounts in turn, as tests do that run at the same time. */
  readonly isInterleaved?: boolean
  readonly places: readonly PlacedDisturbance[]
  readonly counts: readonly KindCount[]
  readonly attempts: readonly Attempt[]
  readonly findings: readonly Finding[]
  /** Why it ended before everything was tried. */
  readonly gone?: string | undefined
  /** Whether a signal ended it. */
  readonly isInterrupted: boolean
  /** Where an application that runs already calls the gateway. */
  readonly gatewayPort?: number | undefined
  readonly singlesTried: number
  readonly tookMs: number
  /** The wall time of the runs with disturbances, without plain runs and confirmations. */
  readonly tryingMs: number
}

/** How often a test command is run with two things at the same moment, if it survives. */
const RACES_TRIED = 3

/** The time limit for pairs if the user sets no limit. */
const PAIRS_UNTIL_MS = 60_000

interface ScenarioSettings extends ExploreSettings {
  readonly target: Target
  readonly run: string
}

/** Runs a scenario as it is, then again and again with disturbances. */
export async function explore(scenario: Scenario, settings: ScenarioSettings): Promise<Exploration> {
  const { target, run, seed, kinds } = settings
  const { app } = scenario.data
  // One address leads to one application, whose calls belong to the run that is under way.
  const jobs = app?.url === undefined ? settings.jobs : 1
  const slots = new RunSlots(jobs, isShared(scenario.data) ? 'shared' : 'own')
  const restartsFirst = app?.restart !== undefined && kinds.includes('restart')
  const attempts = new Attempts(scenario, target, run, seed, slots, restartsFirst)
  const exploration = await exploreWith(attempts, slots, scenario, settings)
  const gatewayPort =
    app?.url !== undefined && target.kind === 'simulator' ? target.given?.proxy.port : undefined
  return { ...exploration, gatewayPort }
}

/** Runs something as it is, then again and again with disturbances. */
export async function exploreWith(
  attempts: Explored,
  slots: RunSlots,
  scenario: Scenario,
  settings: ExploreSettings,
): Promise<Exploration> {
  try {
    const untilThen = new UntilInterrupted(attempts, settings.signal)
    return await new Exploring(untilThen, slots, scenario, settings).explore()
  } finally {
    await attempts.close()
  }
}

interface Tries {
  readonly story: StoryRecord
  readonly firstTry: FirstTry
  readonly of: number | null
}

/** Disturbances for one run, and their number in the plan. */
type Planned = readonly [number, readonly PlacedDisturbance[]]

/**
 * What is left to run. Runs in which the application pauses for a second start as early as they can, because at the end
 * nothing would be left to do during the pause; but only some at a time, because the others go on meanwhile.
 */
export class Plan {
  readonly #pausing = new Set<Planned>()

  constructor(
    private readonly withPauses: Planned[],
    private readonly others: Iterator<Planned>,
  ) {}

  take(mostPausing: number): Planned | undefined {
    const other =
      this.#pausing.size < mostPausing && this.withPauses.length > 0 ? undefined : this.others.next()
    if (other && !other.done) return other.value
    const next = this.withPauses.shift()
    if (next) this.#pausing.add(next)
    return next
  }

  ended(one: Planned): void {
    this.#pausing.delete(one)
  }
}

class Exploring {
  readonly #startedAt = performance.now()
  readonly #tried: Attempt[] = []
  /** The failures for which the plain run was played again. */
  readonly #lookedInto = new Set<string>()
  #findings: readonly Finding[] = []
  #tryingMs = 0
  #plain: Played
  #story: StoryRecord | undefined
  #differences: readonly string[] = []
  #isInterleaved = false
  #places: readonly PlacedDisturbance[] = []

  constructor(
    private readonly attempts: UntilInterrupted,
    private readonly slots: RunSlots,
    private readonly scenario: Scenario,
    private readonly settings: ExploreSettings,
  ) {
    const { file, data } = scenario
    const nothing = { file, name: data.name, ok: true, tookMs: 0, passedMs: 0, virtual: true, steps: [] }
    this.#plain = { result: nothing, run: '' }
  }

  async explore(): Promise<Exploration> {
    try {
      await this.#explore()
    } catch (cause) {
      if (!(cause instanceof Interrupted)) throw cause
    }
    return this.#exploration()
  }

  async #explore(): Promise<void> {
    const first = await this.attempts.plain()
    this.#plain = first
    if (!first.result.ok) return
    const second = await this.attempts.plain()
    this.#plain = second
    if (!second.result.ok) return
    const [one, other] = [this.attempts.recordOf(first), this.attempts.recordOf(second)]
    this.#differences = differences(one, other)
    if (this.settings.mustBeSame && this.#differences.length > 0) {
      this.#isInterleaved = isInterleaved(one) || isInterleaved(other)
      return
    }
    this.#plain = first
    const story = common(...withSameReferences(one, other))
    this.#story = story
    const places = placesOf(story, this.#kinds(), this.settings)
    this.#places = places
    const tries = { story, firstTry: new FirstTry(story) }
    const of = Math.min(places.length, this.#leftRuns)
    await this.#tryAll(this.#planned(places.map(place => [place])), { ...tries, of })
    if (this.settings.mustBeSame !== undefined) {
      for (let nth = 2; nth <= RACES_TRIED; nth++)
        await this.#tryAll(this.#planned(this.#luckyRaces(places)), { ...tries, of: null })
      return
    }
    const pairs = this.#pairs(places)
    // Without a number of runs, they end at a time, and each pair may be the last one.
    const plan = this.settings.mostRuns === undefined ? new Plan([], numbered(pairs)) : this.#planned(pairs)
    await this.#tryAll(plan, { ...tries, of: null })
  }

  /** Leaves out the restart of an application that cannot be restarted, or must not: one process serves parallel runs. */
  #kinds(): DisturbanceKind[] {
    const { app } = this.scenario.data
    const canRestart = app?.restart !== undefined || (app?.start !== undefined && app.fresh !== 'never')
    return this.settings.kinds.filter(kind => canRestart || !KIND_RULES[kind].restarts)
  }

  get #leftMs(): number {
    const { forMs } = this.settings
    return forMs === undefined ? Number.POSITIVE_INFINITY : forMs - (performance.now() - this.#startedAt)
  }

  get #hasTime(): boolean {
    return this.#leftMs > 0 && this.attempts.gone === undefined
  }

  get #leftRuns(): number {
    return (this.settings.mostRuns ?? Number.POSITIVE_INFINITY) - this.#tried.length
  }

  /** Places where the application may have been lucky. A scenario tries them again in pairs. */
  #luckyRaces(places: readonly PlacedDisturbance[]): (readonly PlacedDisturbance[])[] {
    const races = places.filter(({ kind }) => KIND_RULES[kind].races)
    return races.filter(place => outcomeAt(place, this.#tried) === 'survived').map(place => [place])
  }

  /** Pairs of disturbances that the application survived separately. */
  *#pairs(places: readonly PlacedDisturbance[]): Generator<readonly PlacedDisturbance[]> {
    const { forMs, mostRuns, seed } = this.settings
    const survived = new Set(
      this.#tried.filter(({ outcome }) => outcome === 'survived').flatMap(attempt => attempt.places),
    )
    const until = forMs === undefined && mostRuns === undefined ? PAIRS_UNTIL_MS : Number.POSITIVE_INFINITY
    for (const pair of pairsOf(
      places.filter(place => survived.has(place)),
      seed,
    )) {
      if (performance.now() - this.#startedAt >= until) return
      yield pair
    }
  }

  /** The disturbances to run, with their numbers, up to the limit. */
  #planned(all: Iterable<readonly PlacedDisturbance[]>): Plan {
    const chosen: Planned[] = []
    for (const one of numbered(all)) {
      if (chosen.length >= this.#leftRuns) break
      chosen.push(one)
    }
    const pauses = ([, places]: Planned) => places.some(({ kind }) => KIND_RULES[kind].pauses)
    return new Plan(chosen.filter(pauses), chosen.filter(one => !pauses(one)).values())
  }

  /** Runs as many disturbances at a time as there are slots. The results are in the order of their numbers. */
  async #tryAll(plan: Plan, { story, firstTry, of }: Tries): Promise<void> {
    const results: Attempt[] = []
    const startedAt = performance.now()
    const work = async () => {
      for (;;) {
        const slot = await this.slots.take()
        const next = this.#hasTime ? plan.take(this.slots.mostPausing) : undefined
        if (!next) return slot.end()
        const [at, places] = next
        const attempt = await this.attempts.try(places, story, firstTry.patienceFor(places), slot)
        plan.ended(next)
        // Then it shows only that the application is no longer there.
        if (this.attempts.gone !== undefined) return slot.end()
        results[at] = attempt
        this.settings.tried?.(attempt, this.#tried.length + results.filter(Boolean).length, of)
      }
    }
    try {
      await this.attempts.ended(Promise.all(Array.from({ length: this.slots.most }, work)))
    } catch (cause) {
      if (cause instanceof Interrupted) this.#note(results, unrepeated(results.filter(Boolean)))
      throw cause
    } finally {
      this.#tryingMs += performance.now() - startedAt
    }
    const made = results.filter(Boolean)
    const hasTime = () => this.#hasTime
    const { attempts } = this
    const tried = [...this.#tried, ...made]
    this.#note(made, await confirm(made, { attempts, story, firstTry, hasTime, tried }))
    this.#findings = await withoutFalseCauses(this.#findings, {
      ...{ attempts, story, hasTime },
      atOnce: this.slots.most,
      known: this.#lookedInto,
    })
  }

  #note(made: readonly Attempt[], found: readonly Finding[]): void {
    this.#tried.push(...made.filter(Boolean))
    this.#findings = withoutRepetitions([...this.#findings, ...found])
  }

  #exploration(): Exploration {
    const places = this.#places
    return {
      scenario: this.scenario,
      seed: this.settings.seed,
      plain: this.#plain.result,
      plainRun: this.#plain.run,
      ...(this.#story ? { story: this.#story } : {}),
      differences: this.#differences,
      isInterleaved: this.#isInterleaved,
      places,
      counts: this.settings.kinds.map(kind => countOf(kind, places, this.#tried)),
      attempts: this.#tried,
      findings: this.#findings,
      gone: this.attempts.gone,
      isInterrupted: this.attempts.isInterrupted,
      singlesTried: places.filter(place => outcomeAt(place, this.#tried)).length,
      tookMs: performance.now() - this.#startedAt,
      tryingMs: this.#tryingMs,
    }
  }
}

function* numbered(all: Iterable<readonly PlacedDisturbance[]>): Generator<Planned> {
  let at = 0
  for (const places of all) yield [at++, places]
}

function countOf(
  kind: DisturbanceKind,
  places: readonly PlacedDisturbance[],
  tried: readonly Attempt[],
): KindCount {
  const own = places.filter(place => place.kind === kind)
  const outcomes = own.flatMap(place => outcomeAt(place, tried) ?? [])
  const with_ = (outcome: Attempt['outcome']) => outcomes.filter(one => one === outcome).length
  return {
    kind,
    places: own.length,
    tried: outcomes.length,
    failed: with_('failed'),
    notMet: with_('not met'),
    notJudged: with_('not judged'),
  }
}

const STRONGEST = ['failed', 'survived', 'not judged', 'not met'] as const

/** What became of the application where only this was disturbed, perhaps several times. */
function outcomeAt(place: PlacedDisturbance, tried: readonly Attempt[]): Attempt['outcome'] | undefined {
  const own = tried.filter(({ places }) => places.length === 1 && places[0] === place)
  return STRONGEST.find(outcome => own.some(attempt => attempt.outcome === outcome))
}

/** Whether a kind has no place, or was met at none of them. */
export const isNowhere = ({ places, tried, notMet }: KindCount) => tried === places && notMet === tried

type Verdict = 'found' | 'survived' | 'not all tried' | 'plain run fails' | 'plain runs differ'

/** Decides the exit code: whether there are findings, else whether every place was tried. */
export function verdictOf(exploration: Exploration): Verdict {
  const { plain, story, findings, places, counts, singlesTried, gone, isInterrupted } = exploration
  if (!story && !isInterrupted) return plain.ok ? 'plain runs differ' : 'plain run fails'
  if (findings.length > 0) return 'found'
  const isDone =
    story && gone === undefined && !isInterrupted && singlesTried >= places.length && !counts.every(isNowhere)
  return isDone ? 'survived' : 'not all tried'
}

/**
 * Pairs of disturbances, the most promising first: what a return would heal, then pairs of kinds that were tried least often together, then in an
 * order that depends on the seed. The same seed gives the same order.
 */
export function* pairsOf(
  places: readonly PlacedDisturbance[],
  seed: number,
): Generator<readonly [PlacedDisturbance, PlacedDisturbance]> {
  const waiting = new Map<string, { pair: readonly [PlacedDisturbance, PlacedDisturbance]; rank: string }[]>()
  const first: (readonly [PlacedDisturbance, PlacedDisturbance])[] = []
  for (const [at, one] of places.entries())
    for (const other of places.slice(at + 1)) {
      if (conflict(one, other)) continue
      if (isUnhealed(one, other)) {
        first.push([one, other])
        continue
      }
      const kinds = [one.kind, other.kind].sort().join(' + ')
      const rank = hash(`${seed} ${describePlace(one)} ${describePlace(other)}`)
      waiting.set(kinds, [...(waiting.get(kinds) ?? []), { pair: [one, other], rank }])
    }
  yield* first
  for (const pairs of waiting.values()) pairs.sort((a, b) => a.rank.localeCompare(b.rank))
  const kinds = [...waiting.keys()].sort((a, b) => hash(`${seed} ${a}`).localeCompare(hash(`${seed} ${b}`)))
  for (let round = 0; ; round++) {
    const left = kinds.filter(kind => (waiting.get(kind)?.length ?? 0) > round)
    if (left.length === 0) return
    for (const kind of left) {
      const next = waiting.get(kind)?.[round]
      if (next) yield next.pair
    }
  }
}

/**
 * Two of the same kind at one place are one disturbance, a disturbed call cannot be disturbed twice, and a payer who never
 * returns does not return in another way.
 */
function conflict(one: PlacedDisturbance, other: PlacedDisturbance): boolean {
  const isNever = ({ kind }: PlacedDisturbance) => kind === 'return-never'
  const isReturn = ({ kind }: PlacedDisturbance) => kind.startsWith('return-')
  if ((isNever(one) && isReturn(other)) || (isNever(other) && isReturn(one))) return true
  const isSameThing =
    one.before === other.before &&
    one.event === other.event &&
    one.call === other.call &&
    one.account === other.account &&
    one.reference === other.reference &&
    one.nth === other.nth
  return (
    isSameThing &&
    (one.kind === other.kind ||
      one.call !== undefined ||
      KEEP_BACK.has(one.kind) ||
      KEEP_BACK.has(other.kind))
  )
}

/** What a crash lost, the page of return often makes good; so only a payer who does not return shows that it was lost. */
const isUnhealed = (one: PlacedDisturbance, other: PlacedDisturbance) =>
  one.before === other.before &&
  [one.kind, other.kind].includes('restart') &&
  [one.kind, other.kind].includes('return-never')

/** Kinds that hold an event back for a while: two of them on the same event would conflict. */
const KEEP_BACK = new Set([
  ...['webhook-late', 'webhook-order', 'webhook-lost-answer', 'webhook-twice-at-once'],
  ...['return-early', 'return-at-once'],
])

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
