import type { Scenario } from '../schema/file.ts'
import { VERBS, verbsOf } from '../verbs/index.ts'
import type { Path } from './path.ts'
import type { FileProblem } from './problems.ts'

/** Parts of a file that only a simulator can do or show. */
const OF_A_SIMULATOR = [
  'clock',
  'catalogue',
  'policy',
  'provider',
  'faults',
  'receiver',
  'app',
  'verify',
] as const

/** Everything in a scenario that needs a simulator. */
export function simulatorOnlyParts({ file, data, positions }: Scenario): FileProblem[] {
  const found: FileProblem[] = []
  const say = (path: Path, what: string) =>
    found.push({
      file,
      ...positions.of(path),
      message: `${what} needs a simulator: remove it, or run without --base-url`,
    })
  for (const key of OF_A_SIMULATOR) if (data[key] !== undefined) say([key], key)
  const walk = (steps: readonly unknown[], path: Path): void => {
    for (const [at, step] of steps.entries()) walkStep(step, [...path, at])
  }
  const walkStep = (step: unknown, path: Path): void => {
    if (Array.isArray(step)) return walk(step, path)
    const facts = step as Record<string, unknown>
    const [verb = ''] = verbsOf(facts)
    if (VERBS.get(verb)?.needs === 'simulator') say([...path, verb], verb)
    if (facts.keys === 'live' || facts.keys === 'test') say([...path, 'keys'], `keys: ${facts.keys}`)
    if (Array.isArray(facts.parallel)) walk(facts.parallel, [...path, 'parallel'])
    if (Array.isArray(facts.steps)) walk(facts.steps, [...path, 'steps'])
  }
  walk(data.steps ?? [], ['steps'])
  return found
}
