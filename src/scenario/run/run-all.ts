import { basename } from 'node:path'
import type { Scenario } from '../load/load.ts'
import { runScenario, type ScenarioResult } from './run-scenario.ts'
import type { Target } from './target.ts'

export interface RunAllSettings {
  readonly target: Target
  readonly jobs: number
  readonly transcript?: boolean
  readonly began?: (scenario: Scenario, title: string) => void
  readonly ended?: (result: ScenarioResult) => void
}

/** Runs scenarios some at a time; the results are in the order of the files. */
export async function runAll(
  scenarios: readonly Scenario[],
  settings: RunAllSettings,
): Promise<ScenarioResult[]> {
  const { target, jobs, transcript = false, began, ended } = settings
  const names = runNames(scenarios)
  const results = new Array<ScenarioResult>(scenarios.length)
  let next = 0
  const work = async () => {
    for (let at = next++; at < scenarios.length; at = next++) {
      const scenario = scenarios[at]
      const run = names[at]
      if (!scenario || run === undefined) return
      const result = await runScenario(scenario, {
        target,
        run,
        transcript,
        began: title => began?.(scenario, title),
      })
      results[at] = result
      ended?.(result)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(jobs, scenarios.length)) }, work))
  return results
}

/** From the file's name, so that the same file has the same account, keys and ids wherever it runs. */
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
