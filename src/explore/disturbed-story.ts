import type { ScenarioData } from '../scenario/index.ts'
import type { Place } from './kinds.ts'
import type { StoryRecord } from './story-record.ts'

type Step = Record<string, unknown>

/** A `disturb` step as in a scenario file. */
function disturbStep({ kind, before: _, ...rest }: Place): Step {
  return { disturb: kind, ...rest }
}

/** The scenario with disturbances inserted, and with checks of the application's final state at the end. */
export function disturbedStory(
  data: ScenarioData,
  places: readonly Place[],
  story: StoryRecord,
): ScenarioData {
  const steps = (data.steps ?? []) as Step[]
  const disturbed = steps.flatMap((step, at) => [
    ...places.filter(({ before }) => before === at).map(disturbStep),
    step,
  ])
  const { known, payments } = story
  const end: Step = {
    disturb: 'end',
    ...(payments === undefined ? {} : { payments }),
    ...(known.length > 0 ? { known } : {}),
  }
  const { verify: _, ...rest } = data
  const all = [...disturbed, end, ...story.finalLooks.map(({ step }) => step)]
  return { ...rest, steps: all as unknown as NonNullable<ScenarioData['steps']> }
}
