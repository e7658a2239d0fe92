import type { DisturbanceKind } from '../application/disturbance.ts'
import type { Attempt, Explored, Failure, FirstTry } from './attempt.ts'
import { describePlace, KIND_RULES, type PlacedDisturbance } from './kinds.ts'
import type { StoryRecord } from './story-record.ts'

/** A failure of the application, with the smallest disturbance that causes it. */
export interface Finding {
  readonly kinds: readonly DisturbanceKind[]
  readonly places: readonly PlacedDisturbance[]
  readonly failure: Failure
  /** How many disturbances caused the same failure. */
  readonly alike: number
  /** How many of the repeated runs failed. */
  readonly failed: number
  readonly of: number
  readonly attempt: Attempt
}

export interface ConfirmSettings {
  readonly attempts: Explored
  readonly story: StoryRecord
  readonly firstTry: FirstTry
  readonly hasTime: () => boolean
  /** All runs so far. */
  readonly tried: readonly Attempt[]
}

const CONFIRMATIONS = 3
/** How often a failure must repeat if the machine may have been too slow. */
const SLOW_CONFIRMATIONS = 2

/** Takes one failure of each group of similar failures, makes its disturbance smaller, and repeats it. */
export async function confirm(fresh: readonly Attempt[], settings: ConfirmSettings): Promise<Finding[]> {
  const groups = new Map<string, Attempt[]>()
  for (const attempt of fresh) {
    if (attempt.outcome !== 'failed') continue
    const kinds = attempt.places.map(({ kind }) => kind).join(' + ')
    const key = `${kinds}: ${attempt.failure?.sameAs}`
    groups.set(key, [...(groups.get(key) ?? []), attempt])
  }
  const found = await Promise.all([...groups.values()].map(alike => confirmOneOf(alike, settings)))
  return withoutRepetitions(found.filter(finding => finding !== undefined))
}

/** Failures that looked different may be the same, once their disturbances are smaller. */
function withoutRepetitions(found: readonly Finding[]): Finding[] {
  const kept = new Map<string, Finding>()
  for (const finding of found) {
    const key = `${finding.kinds.join()}: ${finding.failure.sameAs}`
    const same = kept.get(key)
    kept.set(key, same ? { ...same, alike: same.alike + finding.alike } : finding)
  }
  return [...kept.values()]
}

/**
 * Repeats similar failures one after the other until one of them fails again. A failure before all the time was over is
 * dropped if it does not repeat with more time. A failure on a slow machine is dropped if it hardly ever repeats.
 */
async function confirmOneOf(
  alike: readonly Attempt[],
  settings: ConfirmSettings,
): Promise<Finding | undefined> {
  for (const attempt of latestFirst(alike)) {
    const finding = await repeat(await shrink(attempt, settings), alike.length, settings)
    const mayBeSlow = attempt.isSlow && finding.failed < Math.min(SLOW_CONFIRMATIONS, finding.of)
    const mayBeHasty = attempt.isHasty && finding.failed === 0
    if (!mayBeSlow && !mayBeHasty) return finding
    attempt.outcome = mayBeSlow ? 'not judged' : 'survived'
    if (!settings.hasTime()) break
  }
  return undefined
}

async function repeat(
  simplest: Attempt,
  alike: number,
  { attempts, story, firstTry, hasTime }: ConfirmSettings,
): Promise<Finding> {
  const { places } = simplest
  let failed = 0
  let of = 0
  let shown = simplest
  const isRace = places.some(({ kind }) => KIND_RULES[kind].races)
  // A race that was lost once more may still be luck, or a slow machine, so it gets another chance.
  const most = () => (isRace && failed === 1 ? 2 * CONFIRMATIONS : CONFIRMATIONS)
  for (let nth = 0; nth < most() && (nth === 0 || hasTime()); nth++) {
    // After one failure with all the time that the file allows, slowness is not the cause.
    const patience = failed > 0 ? firstTry.shortPatienceFor(places) : undefined
    const again = await attempts.try(places, story, patience)
    if (attempts.gone !== undefined) break
    of += 1
    if (again.outcome !== 'failed') continue
    failed += 1
    if (failed === 1) shown = again
  }
  const { failure } = shown
  if (!failure) throw new Error('a failed run has no failure')
  return { kinds: places.map(({ kind }) => kind), places, failure, alike, failed, of, attempt: shown }
}

/** Tries smaller forms of a disturbance, and returns the first that also fails. */
async function shrink(
  attempt: Attempt,
  { attempts, story, firstTry, hasTime, tried }: ConfirmSettings,
): Promise<Attempt> {
  for (const [at, place] of attempt.places.entries())
    for (const smaller of KIND_RULES[place.kind].smaller?.(place) ?? []) {
      if (!hasTime()) return attempt
      const places = attempt.places.with(at, smaller)
      const known = tried.find(other => sameIn(other.places, places))
      const again = known ?? (await attempts.try(places, story, firstTry.patienceFor(places)))
      if (again.outcome === 'failed') return again
    }
  return attempt
}

/**
 * Failures with all the time that the file allows come first, and of these the one at the latest step. It says most,
 * because everything before it went well.
 */
const latestFirst = (alike: readonly Attempt[]): Attempt[] =>
  alike.toReversed().sort((a, b) => Number(a.isHasty) - Number(b.isHasty) || lastStep(b) - lastStep(a))
const lastStep = ({ places }: Attempt) => Math.max(...places.map(({ before }) => before))

const sameIn = (one: readonly PlacedDisturbance[], other: readonly PlacedDisturbance[]) =>
  one.map(describePlace).join() === other.map(describePlace).join()
