import { availableParallelism } from 'node:os'
import { endApplications } from '../../application/leftovers.ts'
import {
  type OpenTarget,
  refused,
  runAll,
  type Scenario,
  ScenarioError,
  type ScenarioResult,
  whatNeedsASimulator,
} from '../../scenario/index.ts'
import { FilesError, UsageError } from '../errors/cli-errors.ts'
import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { reportError } from '../errors/report-error.ts'
import { demandStartable, splitAtDashes, startedBy } from './application-command.ts'
import { type Loaded, loadEach, pickOnly, problemsOf, scenariosOf } from './load-files.ts'
import { isReal, openTarget } from './open-target.ts'
import type { RunFlags } from './run-flags.ts'
import { annotate, isShownTwice, showRun } from './show-run.ts'
import { runOnChange } from './watch.ts'
import { transcriptPaths, writeReports, writeTranscripts } from './write-results.ts'

export async function run(words: readonly string[], flags: RunFlags): Promise<void> {
  const { paths, command } = splitAtDashes(words)
  if (!flags.watch) {
    process.exitCode = await runOnce(paths, command, flags)
    return
  }
  await runOnChange(paths, async () => void (await runOnce(paths, command, flags)))
}

/** Runs everything once, and returns the exit code. */
async function runOnce(
  paths: readonly string[],
  command: readonly string[],
  flags: RunFlags,
): Promise<number> {
  let opened: OpenTarget | undefined
  try {
    const loaded = pickOnly(withCommand(command, await loadEach(paths)), flags.only)
    const scenarios = scenariosOf(loaded)
    demandStartable(scenarios, { mayStart: flags.app !== false })
    if (isReal(flags) && !flags.embedded) refuseWithoutSimulator(scenarios, flags)
    await transcriptPaths(scenarios, flags)
    if (scenarios.length === 0) return await reportProblems(loaded, flags)
    opened = await openTarget(flags)
    interruptible(opened)
    return await runIn(opened, loaded, flags)
  } catch (error) {
    reportError(error)
    return exitCodeOf(error)
  } finally {
    await opened?.close()
  }
}

const withCommand = (command: readonly string[], loaded: readonly Loaded[]): Loaded[] =>
  loaded.map(one => {
    const [scenario] = 'scenario' in one ? startedBy(command, [one.scenario]) : []
    return scenario ? { file: one.file, scenario } : one
  })

async function runIn({ target }: OpenTarget, loaded: readonly Loaded[], flags: RunFlags): Promise<number> {
  const { repeat, seed, transcript, jobs = availableParallelism() } = flags
  const scenarios = scenariosOf(loaded)
  const view = await showRun(loaded.length - scenarios.length + scenarios.length * (repeat ?? 1), flags)
  for (const one of loaded) if ('error' in one) view.ended(refused(one.file, one.error))
  const problems = problemsOf(loaded)
  if (problems && !isShownTwice(flags)) reportError(problems)
  const played = await runAll(scenarios, {
    target,
    jobs,
    repeat,
    seed,
    transcript: transcript !== undefined,
    began: ({ data }, title) => view.began(data.name, title),
    ended: result => view.ended(result),
  }).finally(() => view.stop())
  const results = inOrder(loaded, played)
  view.summary(results)
  annotate(results, flags)
  await writeReports(results, flags)
  await writeTranscripts(scenarios, played, flags)
  return codeOf(results)
}

/** If no file can be run, no simulator is started, and the problems are reported like wrong usage. */
async function reportProblems(loaded: readonly Loaded[], flags: RunFlags): Promise<number> {
  const results = inOrder(loaded, [])
  const problems = problemsOf(loaded)
  reportError(problems)
  annotate(results, flags)
  await writeReports(results, flags)
  return codeOf(results)
}

function inOrder(loaded: readonly Loaded[], played: readonly ScenarioResult[][]): ScenarioResult[] {
  let next = 0
  return loaded.flatMap(one => ('error' in one ? [refused(one.file, one.error)] : (played[next++] ?? [])))
}

function codeOf(results: readonly ScenarioResult[]): number {
  const bad = results.filter(({ ok }) => !ok)
  if (bad.length === 0) return EXIT.done
  return bad.every(({ problems }) => problems) ? EXIT.usage : EXIT.expectationFailed
}

/** Ctrl-C ends the run at once, but the target is still cleaned up. */
export function interruptible(opened: OpenTarget): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.removeAllListeners(signal)
    process.once(signal, () => {
      const ends = [endApplications(), opened.close()]
      void Promise.allSettled(ends).then(() => process.exit(code))
    })
  }
}

function refuseWithoutSimulator(scenarios: readonly Scenario[], { seed }: RunFlags): void {
  if (seed !== undefined)
    throw new UsageError('--seed needs a simulator: the gateway at --base-url takes no seed')
  const problems = scenarios.flatMap(whatNeedsASimulator)
  if (problems.length > 0) throw new FilesError(new ScenarioError(problems).message)
}
