import { isInnocent } from './advice.ts'
import { type Attempt, type Explored, symptomOf } from './attempt.ts'
import type { Finding } from './confirm.ts'
import { KIND_RULES } from './kinds.ts'
import type { StoryRecord } from './story-record.ts'

/** A failure that depends on luck comes rarely: 1 of 15 runs fails over it with a chance of 98% in so many. */
const MOST_RUNS = 60
/** If each disturbance failed each time, a cause of another kind would be seen soon. */
const FEW_RUNS = 6
/** So many failures say enough about how often it fails. */
const ENOUGH_FAILURES = 3

interface Settings {
  readonly attempts: Explored
  readonly story: StoryRecord
  /** How many runs are played at the same time, as they were with disturbances. */
  readonly atOnce: number
  readonly hasTime: () => boolean
  /** The failures that were looked into before. Those of this time are added. */
  readonly known: Set<string>
}

/**
 * What was disturbed may not be the cause of a failure that appears under several kinds, or that never came again. So the
 * plain run is played again, under the same load. If it fails in the same way, that is one finding instead of all those.
 */
export async function withoutFalseCauses(
  findings: readonly Finding[],
  settings: Settings,
): Promise<Finding[]> {
  const doubtful = groupsOf(findings).filter(group => isDoubtful(group, settings.known))
  if (doubtful.length === 0) return [...findings]
  for (const [{ failure }] of doubtful) settings.known.add(symptomOf(failure))
  const played = await playUndisturbed(doubtful, settings)
  const instead = new Map<Finding, readonly Finding[]>(doubtful.flatMap(group => replace(group, played)))
  return findings.flatMap(finding => instead.get(finding) ?? [finding])
}

/** Findings of one failure, whatever was disturbed. */
function groupsOf(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, Group>()
  for (const finding of findings) {
    const symptom = symptomOf(finding.failure)
    const group = groups.get(symptom)
    if (group) group.push(finding)
    else groups.set(symptom, [finding])
  }
  return [...groups.values()]
}

type Group = [Finding, ...Finding[]]

const isDoubtful = (group: Group, known: ReadonlySet<string>) =>
  !known.has(symptomOf(group[0].failure)) &&
  (group.length > 1 || group.some(finding => isUnsteady(finding) || isInnocent(finding)))

/** It did not come again each time, though nothing but a race depends on luck. */
const isUnsteady = ({ kinds, failed, of }: Finding) =>
  failed < of && (failed === 0 || !kinds.some(kind => KIND_RULES[kind].races))

async function playUndisturbed(
  groups: readonly Group[],
  { attempts, story, atOnce, hasTime }: Settings,
): Promise<Attempt[]> {
  const isSteady = groups.flat().every(({ failed, of }) => failed === of)
  const played: Attempt[] = []
  const isEnough = () => groups.every(([first]) => failuresLike(first, played).length >= ENOUGH_FAILURES)
  let left = isSteady ? FEW_RUNS : MOST_RUNS
  const work = async () => {
    while (left > 0 && hasTime() && !isEnough()) {
      left -= 1
      const attempt = await attempts.try([], story, undefined)
      if (attempts.gone !== undefined) return
      if (attempt.outcome !== 'not judged' && !(attempt.outcome === 'failed' && attempt.isSlow))
        played.push(attempt)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return played
}

const failuresLike = ({ failure }: Finding, played: readonly Attempt[]) =>
  played.filter(attempt => attempt.failure && symptomOf(attempt.failure) === symptomOf(failure))

/** One finding in the place of the first of a group, if the failure came without a disturbance too. */
function replace(group: Group, played: readonly Attempt[]): [Finding, readonly Finding[]][] {
  const [first, ...others] = group
  const failures = failuresLike(first, played)
  const [shown] = failures
  if (!shown?.failure) return []
  const one: Finding = {
    kinds: [],
    places: [],
    failure: shown.failure,
    alike: group.reduce((sum, { alike }) => sum + alike, 0),
    failed: failures.length,
    of: played.length,
    attempt: shown,
    instead: group,
  }
  return [[first, [one]], ...others.map((other): [Finding, readonly Finding[]] => [other, []])]
}
