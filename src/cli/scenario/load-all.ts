import { loadScenario, type Scenario, ScenarioError } from '../../scenario/index.ts'
import { FilesError } from '../errors/usage-error.ts'
import { findFiles } from './find-files.ts'

/** A file that a run was given: a scenario, or what is wrong with it. */
export type Loaded =
  | { readonly file: string; readonly scenario: Scenario }
  | { readonly file: string; readonly error: ScenarioError }

/** Each file at some paths, in their order. */
export async function loadEach(paths: readonly string[]): Promise<Loaded[]> {
  const loaded: Loaded[] = []
  for (const file of await findFiles(paths)) {
    try {
      loaded.push({ file, scenario: await loadScenario(file) })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      loaded.push({ file, error })
    }
  }
  return loaded
}

/** All scenarios at some paths, or all that is wrong with them. */
export async function loadAll(paths: readonly string[]): Promise<Scenario[]> {
  const loaded = await loadEach(paths)
  const wrong = problemsOf(loaded)
  if (wrong) throw wrong
  return scenariosOf(loaded)
}

export const scenariosOf = (loaded: readonly Loaded[]) =>
  loaded.flatMap(each => ('scenario' in each ? [each.scenario] : []))

/** All that is wrong with files, as one message, if there is anything. */
export function problemsOf(loaded: readonly Loaded[]): FilesError | undefined {
  const problems = loaded.flatMap(each => ('error' in each ? each.error.problems : []))
  return problems.length > 0 ? new FilesError(new ScenarioError(problems).message) : undefined
}
