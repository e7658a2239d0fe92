import type { ScenarioData } from '../scenario/index.ts'
import type { PlacedDisturbance } from './kinds.ts'
import type { StoryRecord } from './story-record.ts'

type Step = Record<string, unknown>

/** A `disturb` step as in a scenario file. */
function disturbStep({ kind, before: _, ...rest }: PlacedDisturbance): Step {
  return { disturb: kind, ...rest }
}

/** The scenario with disturbances inserted, and with checks of the application's final state at the end. */
export function disturbedStory(
  data: ScenarioData,
  places: readonly PlacedDisturbance[],
  story: StoryRecord,
): ScenarioData {
  const steps = (data.steps ?? []) as Step[]
  const looks = story.finalLooks.map(({ step }) => step)
  const isRepeated = (step: Step) =>
    'expect app' in step && looks.some(look => look['expect app'] === step['expect app'])
  // What the last steps expect, the checks at the end expect again.
  const last = steps.findLastIndex(step => !isRepeated(step) || 'as' in step)
  const disturbed = steps.flatMap((step, at) => [
    ...places.filter(({ before }) => before === at).map(disturbStep),
    ...(at <= last ? [step] : []),
  ])
  const { known, payments } = story
  const end: Step = {
    disturb: 'end',
    ...(payments === undefined ? {} : { payments }),
    ...(known.length > 0 ? { known } : {}),
  }
  const { verify: _, ...rest } = data
  const all = [...disturbed, end, ...looks]
  return { ...rest, steps: all as unknown as NonNullable<ScenarioData['steps']> }
}
