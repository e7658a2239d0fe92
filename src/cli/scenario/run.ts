import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import {
  annotations,
  json,
  junit,
  type OpenTarget,
  type Paint,
  PLAIN,
  refused,
  runAll,
  runNames,
  type Scenario,
  ScenarioError,
  type ScenarioResult,
  story,
  summary,
  tap,
  warningsOf,
  whatNeedsASimulator,
} from '../../scenario/index.ts'
import { FilesError, UsageError } from '../errors/cli-errors.ts'
import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { reportError } from '../errors/report-error.ts'
import { cleaned, drawnOn } from '../output/door.ts'
import { writerTo } from '../output/printer.ts'
import { Interruption } from './interruption.ts'
import { type Loaded, loadEach, pickOnly, problemsOf, scenariosOf } from './load-files.ts'
import { isOwn, isReal, openFor, toldApplications } from './open-target.ts'
import { Player } from './players.ts'
import { demandPage, reportPage, textStream, writeReports, writeWhole } from './reports.ts'
import { demandStartable, type RunFlags, splitAtDashes, startedBy } from './run-flags.ts'
import { runOnChange } from './watch.ts'

export async function run(words: readonly string[], flags: RunFlags): Promise<void> {
  const { paths, command } = splitAtDashes(words)
  if (!flags.watch) {
    // If nobody reads on, such as behind `grep -q`, the exit code and the reports are still wanted.
    process.stdout.on('error', () => {})
    process.exitCode = await runOnce(paths, command, flags)
    return
  }
  process.stdout.on('error', () => process.kill(process.pid, 'SIGTERM'))
  await runOnChange(paths, async () => void (await runOnce(paths, command, flags)))
}

/** Runs everything once, and returns the exit code. */
async function runOnce(
  paths: readonly string[],
  command: readonly string[],
  flags: RunFlags,
): Promise<number> {
  let opened: OpenTarget | undefined
  let players: readonly Player[] = []
  let interruption: Interruption | undefined
  const close = async () => void (await Promise.all([opened, ...players].map(one => one?.close())))
  try {
    demandPage(flags)
    const loaded = pickOnly(withCommand(command, await loadEach(paths)), flags.only)
    const scenarios = scenariosOf(loaded)
    demandStartable(scenarios, { mayStart: flags.app !== false })
    if (isReal(flags) && !flags.embedded) refuseWithoutSimulator(scenarios, flags)
    await transcriptPaths(scenarios, flags)
    if (scenarios.length === 0) return await reportProblems(loaded, flags)
    players = playersFor(scenarios, flags)
    interruption = new Interruption()
    opened = await openFor(scenarios, flags)
    if (!flags.quiet) await writerTo(textStream(flags))(toldApplications(scenarios, opened, flags))
    return await runIn(opened, players, loaded, flags, interruption)
  } catch (error) {
    // What is still being played fails then, and that is meant.
    if (!interruption?.signal.aborted) reportError(error)
    return exitCodeOf(error)
  } finally {
    await close()
    await interruption?.over()
  }
}

/** A process more is worth its start for so many runs, and only if there is a core for it. */
const RUNS_A_PROCESS = 25

/** Other processes that play scenarios, if there is enough to do. What is one for all of them is asked by this one alone. */
function playersFor(scenarios: readonly Scenario[], flags: RunFlags): Player[] {
  const runs = scenarios.filter(({ data }) => data.app === undefined).length * (flags.repeat ?? 1)
  if (!isOwn(flags)) return []
  const most = Math.min(jobsFor(scenarios, flags), availableParallelism(), Math.floor(runs / RUNS_A_PROCESS))
  return Array.from({ length: Math.max(0, most - 1) }, () => new Player())
}

/** The calls that come to one address belong to the run that is under way. */
const jobsFor = (scenarios: readonly Scenario[], { jobs = availableParallelism() }: RunFlags) =>
  scenarios.some(({ data }) => data.app?.url !== undefined) ? 1 : jobs

const withCommand = (command: readonly string[], loaded: readonly Loaded[]): Loaded[] =>
  loaded.map(one => {
    const [scenario] = 'scenario' in one ? startedBy(command, [one.scenario]) : []
    return scenario ? { file: one.file, scenario } : one
  })

async function runIn(
  { target }: OpenTarget,
  players: readonly Player[],
  loaded: readonly Loaded[],
  flags: RunFlags,
  interruption: Interruption,
): Promise<number> {
  const { repeat, seed, transcript } = flags
  const scenarios = scenariosOf(loaded)
  const count = scenarios.length * (repeat ?? 1)
  const view = await showRun(loaded.length - scenarios.length + count, flags)
  for (const one of loaded) if ('error' in one) view.ended(refused(one.file, one.error))
  const problems = problemsOf(loaded)
  if (problems && !isShownTwice(flags)) reportError(problems)
  const ended: ScenarioResult[] = []
  const playing = runAll(scenarios, {
    target,
    others: players.map(({ play }) => play),
    jobs: jobsFor(scenarios, flags),
    repeat,
    seed,
    transcript: transcript !== undefined,
    began: ({ data }, title) => view.began(data.name, title),
    ended: result => {
      // What ends after a signal was ended by it.
      if (interruption.signal.aborted) return
      ended.push(result)
      view.ended(result)
    },
  })
  const played = await interruption.ended(playing).finally(() => view.stop())
  const results = played ? inOrder(loaded, played) : [...inOrder(loaded, []), ...ended]
  if (results.length > 0) view.summary(results)
  if (!played) textStream(flags).write(`Interrupted: ${count - ended.length} of ${count} did not end.\n`)
  annotate(results, flags)
  await writeReports(flags, format => WRITERS[format](results))
  if (played) await writeTranscripts(scenarios, played, flags)
  return codeOf(results)
}

/** If no file can be run, no simulator is started, and the problems are reported like wrong usage. */
async function reportProblems(loaded: readonly Loaded[], flags: RunFlags): Promise<number> {
  const results = inOrder(loaded, [])
  const problems = problemsOf(loaded)
  reportError(problems)
  annotate(results, flags)
  await writeReports(flags, format => WRITERS[format](results))
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

function refuseWithoutSimulator(scenarios: readonly Scenario[], { seed }: RunFlags): void {
  if (seed !== undefined)
    throw new UsageError('--seed needs a simulator: the gateway at --base-url takes no seed')
  const problems = scenarios.flatMap(whatNeedsASimulator)
  if (problems.length > 0) throw new FilesError(new ScenarioError(problems).message)
}

const WRITERS = {
  junit,
  tap,
  json,
  html: (results: readonly ScenarioResult[]) => reportPage(json(results)),
} as const

/** The paths of the transcripts: for each scenario, one for each run. A single run may go to a file, several go to a folder. */
async function transcriptPaths(
  scenarios: readonly Scenario[],
  { transcript, repeat = 1 }: RunFlags,
): Promise<string[][]> {
  if (transcript === undefined) return []
  const count = scenarios.length * repeat
  const folder = transcript.endsWith('/') || (await isFolder(transcript)) || count > 1
  if (folder && (await isFile(transcript)))
    throw new UsageError(`--transcript ${transcript} is a file, but there are ${count} runs: give a folder`)
  if (!folder) return [[transcript]]
  const suffixes = Array.from({ length: repeat }, (_, at) => (repeat > 1 ? `.${at + 1}` : ''))
  return runNames(scenarios).map(name =>
    suffixes.map(repetition => join(transcript, `${name.replace(/^run-/, '')}${repetition}.jsonl`)),
  )
}

async function writeTranscripts(
  scenarios: readonly Scenario[],
  results: readonly ScenarioResult[][],
  flags: RunFlags,
): Promise<void> {
  const paths = await transcriptPaths(scenarios, flags)
  for (const [at, runs] of paths.entries())
    for (const [repetition, path] of runs.entries())
      await writeWhole(path, results[at]?.[repetition]?.transcript ?? '')
}

const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false
const isFile = async (path: string) => (await stat(path).catch(() => undefined))?.isFile() ?? false

/** Shows the progress of a run, and each scenario when it has ended. */
export interface RunView {
  began(name: string, title: string): void
  ended(result: ScenarioResult): void
  summary(results: readonly ScenarioResult[]): void
  stop(): void
}

/** Whether stderr and the scenarios' results go to the same place, so that problems would appear twice. */
function isShownTwice(flags: RunFlags): boolean {
  const out = textStream(flags)
  return out === process.stderr || (out.isTTY && process.stderr.isTTY)
}

async function showRun(count: number, flags: RunFlags): Promise<RunView> {
  const { quiet } = flags
  const startedAt = performance.now()
  const out = textStream(flags)
  const paint = await paintFor(out)
  const spinner = await spinnerFor(out)
  let done = 0
  return {
    began(name, title) {
      if (spinner) spinner.text = cleaned(`${done}/${count}  ${name}: ${title}`)
    },
    ended(result) {
      done += 1
      if (spinner) spinner.text = `${done}/${count}`
      if (quiet && result.ok && warningsOf(result).length === 0) return
      spinner?.clear()
      out.write(story(result, paint, { brief: quiet === true }))
    },
    summary: results => void out.write(summary(results, performance.now() - startedAt, paint)),
    stop: () => void spinner?.stop(),
  }
}

/** On GitHub Actions, marks failures in the files. */
function annotate(results: readonly ScenarioResult[], flags: RunFlags): void {
  const { GITHUB_ACTIONS, GITHUB_WORKSPACE: workspace = '' } = process.env
  if (GITHUB_ACTIONS !== 'true') return
  // GitHub needs paths relative to the repository, wherever the run was started.
  const inside = workspace !== '' && !relative(workspace, process.cwd()).startsWith('..')
  textStream(flags).write(annotations(results, inside ? workspace : process.cwd()))
}

export async function paintFor(out: NodeJS.WriteStream): Promise<Paint> {
  if (!out.isTTY && process.env.FORCE_COLOR === undefined) return PLAIN
  const { openScreen } = await import('../output/screen.ts')
  const { red, green, dim, bold } = (await openScreen(out, {}, { ascii: true })).paint
  return { bad: red, good: green, dim, bold }
}

export async function spinnerFor(out: NodeJS.WriteStream) {
  // With zero columns, the spinner would loop for ever.
  if (!out.isTTY || !out.columns) return undefined
  const { default: ora } = await import('ora')
  return ora({ stream: drawnOn(out), discardStdin: false }).start()
}
