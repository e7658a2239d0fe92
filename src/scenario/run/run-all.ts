import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import type { Scenario } from '../schema/file.ts'
import { isShared, SharedApplication } from './open-application.ts'
import { runScenario, type ScenarioResult } from './run-scenario.ts'
import type { Target } from './target.ts'

export interface RunAllSettings extends PlaySettings {
  readonly target: Target
  readonly jobs: number
  /** Other processes that play scenarios, each of one's own simulator. */
  readonly others?: readonly Play[]
}

/** Plays a scenario, as often as it was asked for, under this name. */
export type Play = (scenario: Scenario, run: string, settings: PlaySettings) => Promise<ScenarioResult[]>

export interface PlaySettings {
  /** How often to run each scenario, each time with another seed; once by default. */
  readonly repeat?: number | undefined
  /** Replaces the seeds in the files. */
  readonly seed?: number | undefined
  readonly transcript?: boolean
  readonly began?: (scenario: Scenario, title: string) => void
  readonly ended?: (result: ScenarioResult) => void
}

/** Runs several scenarios in parallel. Returns a list of results for each, in the order of the files. */
export async function runAll(
  scenarios: readonly Scenario[],
  { target, jobs, others = [], ...how }: RunAllSettings,
): Promise<ScenarioResult[][]> {
  const names = runNames(scenarios)
  const results = new Array<ScenarioResult[]>(scenarios.length)
  const here: Play = (scenario, run, settings) => playRepeatedly(scenario, run, target, settings)
  const players = [here, ...others]
  let next = 0
  const work = async (nth: number) => {
    const player = players[nth % players.length] ?? here
    for (let at = next++; at < scenarios.length; at = next++) {
      const scenario = scenarios[at]
      const run = names[at]
      if (!scenario || run === undefined) return
      // An application is a process of its own already, and this one ends it if the run is interrupted.
      const play = scenario.data.app ? here : player
      results[at] = await play(scenario, nameAmongAll(run, scenario), how)
    }
  }
  const atOnce = Math.max(1, Math.min(jobs, scenarios.length))
  await Promise.all(Array.from({ length: atOnce }, (_, nth) => work(nth)))
  return results
}

/** Plays the repetitions one after another under one name, so that each gives the same bytes as a single run with its seed. */
export async function playRepeatedly(
  scenario: Scenario,
  run: string,
  target: Target,
  { repeat: of = 1, seed, transcript = false, began, ended }: PlaySettings,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = []
  const shared = isShared(scenario.data) ? new SharedApplication() : undefined
  try {
    for (let nth = 1; nth <= of; nth++) {
      const data = { ...scenario.data, seed: seedOf(nth, seed ?? scenario.data.seed ?? 1) }
      const played = await runScenario(
        { ...scenario, data },
        {
          target,
          run: shared && nth > 1 ? `${run}-${nth}` : run,
          transcript,
          shared,
          began: title => began?.(scenario, title),
        },
      )
      const result = {
        ...played,
        // A real gateway has no seed.
        ...(target.kind === 'simulator' ? { seed: data.seed } : {}),
        ...(of > 1 ? { repetition: { nth, of } } : {}),
      }
      results.push(result)
      ended?.(result)
    }
  } finally {
    await shared?.close()
  }
  return results
}

/** Repetition n uses the first seed plus n - 1, so a user can repeat it by its seed. */
const seedOf = (nth: number, first: number | string) =>
  typeof first === 'number' ? first + nth - 1 : nth === 1 ? first : `${first}-${nth}`

/**
 * An application that runs already keeps what earlier commands did, so each command has names of its own. The ids of an
 * account follow from its name.
 */
export const nameAmongAll = (run: string, { data }: Scenario): string =>
  data.app?.url === undefined ? run : `${run.slice(0, 44)}-${randomBytes(4).toString('hex')}`

/** Derived from the file's name, so that a file has the same account, keys and ids on every machine. */
export function runNames(scenarios: readonly Pick<Scenario, 'file'>[]): string[] {
  const taken = new Map<string, number>()
  return scenarios.map(({ file }) => {
    const slug = basename(file)
      .replace(/\.(ya?ml|json)$/, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
    const name = `run-${slug.slice(0, 48) || 'scenario'}`
    const nth = (taken.get(name) ?? 0) + 1
    taken.set(name, nth)
    return nth === 1 ? name : `${name}-${nth}`
  })
}
