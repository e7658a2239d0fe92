import { commandLine } from '../../application/command-words.ts'
import { type Scenario, ScenarioError } from '../../scenario/index.ts'
import { FilesError } from '../errors/cli-errors.ts'

/** Separates the paths before `--` from the command after it. */
export function splitAtDashes(words: readonly string[]): { paths: string[]; command: string[] } {
  const at = process.argv.indexOf('--')
  const command = at < 0 ? [] : process.argv.slice(at + 1)
  return { paths: words.slice(0, words.length - command.length), command }
}

/** Scenarios whose application is started by the given command, in the current folder. */
export function startedBy(command: readonly string[], scenarios: readonly Scenario[]): Scenario[] {
  if (command.length === 0) return [...scenarios]
  return scenarios.map(scenario => {
    const { app } = scenario.data
    if (!app) return scenario
    const { url: _, ...rest } = app
    return {
      ...scenario,
      data: { ...scenario.data, app: { ...rest, start: [...command], folder: process.cwd() } },
    }
  })
}

/** Refuses applications that neither run already nor can be started. */
export function demandStartable(scenarios: readonly Scenario[], { mayStart = true } = {}): void {
  const problems = scenarios.flatMap(({ file, data, positions }) => {
    const { app } = data
    if (!app || app.url !== undefined) return []
    const at = { file, ...positions.of(['app']) }
    if (app.start === undefined)
      return [{ ...at, message: 'app needs start or url: add one, or give the command after `--`' }]
    return mayStart
      ? []
      : [
          {
            ...at,
            message: `app would start ${commandLine(app.start)}, but --no-app forbids it: use url, or run without --no-app`,
          },
        ]
  })
  if (problems.length > 0) throw new FilesError(new ScenarioError(problems).message)
}
