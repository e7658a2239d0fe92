import type { DisturbanceKind } from '../application/disturbance.ts'
import { type Attempt, type Explored, type Failure, type FirstTry, symptomOf } from './attempt.ts'
import { Interrupted } from './interruption.ts'
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
  /** If nothing needs to be disturbed: the findings of the same failure with disturbances, which this one replaces. */
  readonly instead?: readonly Finding[]
}

/** What went wrong. If nothing has to be disturbed for it, it says so, and how often it went wrong. */
export const headlineOf = ({ kinds, failure, failed, of }: Finding): string =>
  kinds.length > 0
    ? failure.message
    : `it fails undisturbed too, ${failed} of ${of} times: ${failure.message}`

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
  const found = await Promise.all(groupsOf(fresh).map(alike => confirmOneOf(alike, settings)))
  return withoutRepetitions(found.filter(finding => finding !== undefined))
}

/** One failure of each group of similar failures, which nobody has repeated. */
export const unrepeated = (fresh: readonly Attempt[]): Finding[] =>
  groupsOf(fresh).flatMap(alike => unrepeatedOf(alike) ?? [])

function unrepeatedOf(alike: readonly Attempt[]): Finding | undefined {
  const [attempt] = latestFirst(alike)
  return attempt && findingOf(attempt, { alike: alike.length, failed: 0, of: 0 })
}

/** Similar failures: of the same kinds, and the same in words. */
function groupsOf(fresh: readonly Attempt[]): Attempt[][] {
  const groups = new Map<string, Attempt[]>()
  for (const attempt of fresh) {
    if (attempt.outcome !== 'failed') continue
    const kinds = attempt.places.map(({ kind }) => kind).join(' + ')
    const key = `${kinds}: ${attempt.failure?.sameAs}`
    groups.set(key, [...(groups.get(key) ?? []), attempt])
  }
  return [...groups.values()]
}

/**
 * Failures that looked different may be the same, once their disturbances are smaller. A pair fails in the same way as one
 * of its two kinds alone, and everything as what fails undisturbed.
 */
export function withoutRepetitions(found: readonly Finding[]): Finding[] {
  const kept: Finding[] = []
  for (const finding of found) {
    const at = kept.findIndex(other => includes(other, finding))
    const other = kept[at]
    if (other) kept[at] = { ...other, alike: other.alike + finding.alike }
    else kept.push(finding)
  }
  return kept
}

function includes(one: Finding, other: Finding): boolean {
  if (one.kinds.join() === other.kinds.join()) return one.failure.sameAs === other.failure.sameAs
  const isPart = one.kinds.length < other.kinds.length && one.kinds.every(kind => other.kinds.includes(kind))
  return isPart && symptomOf(one.failure) === symptomOf(other.failure)
}

/**
 * Repeats similar failures one after the other until one of them fails again. A failure before all the time was over is
 * dropped if it does not repeat with more time. A failure on a slow machine is dropped if it hardly ever repeats.
 */
async function confirmOneOf(
  alike: readonly Attempt[],
  settings: ConfirmSettings,
): Promise<Finding | undefined> {
  try {
    for (const attempt of latestFirst(alike)) {
      const finding = await repeat(await shrink(attempt, settings), alike.length, settings)
      const mayBeSlow = attempt.isSlow && finding.failed < Math.min(SLOW_CONFIRMATIONS, finding.of)
      const mayBeHasty = attempt.isHasty && finding.failed === 0
      if (!mayBeSlow && !mayBeHasty) return finding
      attempt.outcome = mayBeSlow ? 'not judged' : 'survived'
      if (!settings.hasTime()) break
    }
    return undefined
  } catch (cause) {
    if (!(cause instanceof Interrupted)) throw cause
    return unrepeatedOf(alike.filter(({ outcome }) => outcome === 'failed'))
  }
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
  return findingOf(shown, { alike, failed, of })
}

function findingOf(attempt: Attempt, counts: Pick<Finding, 'alike' | 'failed' | 'of'>): Finding {
  const { places, failure } = attempt
  if (!failure) throw new Error('a failed run has no failure')
  return { kinds: places.map(({ kind }) => kind), places, failure, ...counts, attempt }
}

/** How often one disturbance of a pair is tried alone: it was survived once, perhaps by luck. */
const ALONE_TRIES = 2

/** Tries smaller forms of a disturbance, and returns the first that also fails. */
async function shrink(attempt: Attempt, settings: ConfirmSettings): Promise<Attempt> {
  const { attempts, story, firstTry, hasTime, tried } = settings
  for (const place of attempt.places.length > 1 ? attempt.places : [])
    for (let nth = 0; nth < ALONE_TRIES && hasTime(); nth++) {
      const alone = await attempts.try([place], story, firstTry.patienceFor([place]))
      if (alone.outcome === 'failed') return alone
    }
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
