import { availableParallelism } from 'node:os'
import { type DisturbanceKind, KINDS, SUITE_KINDS } from '../../application/disturbance.ts'
import { Output } from '../../application/process.ts'
import { basicAuthorization } from '../../client/credentials.ts'
import type { Contract } from '../../contract/decisions.ts'
import { resolveContract } from '../../contract/resolve-contract.ts'
import type { Attempt } from '../../explore/attempt.ts'
import { type Exploration, type ExploreSettings, explore, verdictOf } from '../../explore/explore.ts'
import { KIND_RULES, type PlacedDisturbance } from '../../explore/kinds.ts'
import {
  exploreJson,
  exploreJunit,
  exploreText,
  type Reported,
  repetitionText,
} from '../../explore/report.ts'
import { saveFindings } from '../../explore/save.ts'
import {
  comparesIn,
  exploreSuite,
  placesOfSaved,
  type RunSuite,
  reasonAgainst,
  repeatSuite,
} from '../../explore/suite.ts'
import type { SuiteAccount, SuiteGateway } from '../../explore/suite-run.ts'
import type { RunningSimulator } from '../../library/running-simulator.ts'
import { startWith } from '../../library/start-simulator.ts'
import {
  nameAmongAll,
  runNames,
  type Scenario,
  ScenarioError,
  type SimulatorTarget,
} from '../../scenario/index.ts'
import { FilesError, messageOf, UsageError } from '../errors/cli-errors.ts'
import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { reportError } from '../errors/report-error.ts'
import { environmentOf, runCommand } from '../exec/run-command.ts'
import { readDataFile } from '../named-file.ts'
import { cleaned } from '../output/door.ts'
import { writerTo } from '../output/printer.ts'
import { wrapTo } from '../output/text.ts'
import { widthOf } from '../output/width-of.ts'
import { Interruption } from './interruption.ts'
import { loadAll } from './load-files.ts'
import { openFor, toldApplications } from './open-target.ts'
import { demandPage, reportPage, textStream, writeReports } from './reports.ts'
import { paintFor, spinnerFor } from './run.ts'
import { demandStartable, type ExploreFlags, splitAtDashes, startedBy } from './run-flags.ts'

export async function exploreFiles(words: readonly string[], flags: ExploreFlags): Promise<void> {
  if (flags.kinds) return listKinds()
  const { paths, command } = splitAtDashes(words)
  // If nobody reads on, the exit code, the reports and the saved findings are still wanted.
  process.stdout.on('error', () => {})
  try {
    // As JSON, the output is one more report.
    const more = flags.output === 'json' ? [{ format: 'json', file: '-' } as const] : []
    process.exitCode = await exploreAll(paths, command, { ...flags, report: [...flags.report, ...more] })
  } catch (error) {
    reportError(error)
    process.exitCode = exitCodeOf(error)
  }
}

function listKinds(): Promise<void> {
  const width = Math.max(...KINDS.map(kind => kind.length))
  const lines = KINDS.map(kind => `${kind.padEnd(width)}  ${KIND_RULES[kind].summary}\n`)
  return writerTo(process.stdout)(lines.join(''))
}

async function exploreAll(
  paths: readonly string[],
  command: readonly string[],
  flags: ExploreFlags,
): Promise<number> {
  if (flags.suite) return exploreCommand(paths, command, flags)
  for (const [name, flag] of [
    ['--tolerate', flags.tolerate],
    ['--repeat', flags.repeat],
  ])
    if (flag !== undefined) throw new UsageError(`${name} is for a test command: add --suite`)
  if (paths.length === 0)
    throw new UsageError('no scenarios were given: name a file, or a folder that contains some')
  demandPage(flags)
  const scenarios = startedBy(command, await loadAll(paths))
  demandExplorable(scenarios)
  demandStartable(scenarios)
  const runFlags = { ...flags, report: [], embedded: undefined, only: undefined } as never
  const interruption = new Interruption()
  const opened = await openFor(scenarios, runFlags)
  try {
    await writerTo(textStream(flags))(toldApplications(scenarios, opened, runFlags))
    const target = opened.target as SimulatorTarget
    const names = runNames(scenarios)
    const explorations = scenarios.map((scenario, at) => (settings: ExploreSettings) => {
      const run = nameAmongAll((names[at] ?? 'run').replace(/^run-/, 'explore-'), scenario)
      const retries = retriesOf(target.contract)
      return explore(scenario, { ...settings, target, run, retries })
    })
    const jobs = flags.jobs ?? availableParallelism()
    return await reportAll(explorations, { ...flags, jobs }, interruption)
  } finally {
    await opened.close()
    await interruption.over()
  }
}

/** Explores a test command, or repeats a finding of it. */
async function exploreCommand(
  paths: readonly string[],
  command: readonly string[],
  flags: ExploreFlags,
): Promise<number> {
  if (command.length === 0)
    throw new UsageError('no test command was given: write it after `--`, such as `-- npm test`')
  if (paths.length > 0)
    throw new UsageError(`--suite explores a test command, not ${paths[0]}: leave out --suite, or the file`)
  if (flags.controlUrl !== undefined)
    throw new UsageError('--suite starts a simulator for each run: leave out --control-url')
  if (flags.gatewayPort !== undefined)
    throw new UsageError('--suite tells the command where the gateway is: leave out --gateway-port')
  for (const kind of flags.only ?? []) {
    const reason = reasonAgainst(kind)
    if (reason !== undefined)
      throw new UsageError(
        `--suite does not try ${kind}: ${reason}; leave it out of --only, or explore a scenario`,
      )
  }
  demandPage(flags)
  const interruption = new Interruption()
  try {
    return await playCommand(command, flags, interruption)
  } finally {
    await interruption.over()
  }
}

async function playCommand(
  command: readonly string[],
  flags: ExploreFlags,
  interruption: Interruption,
): Promise<number> {
  if (flags.repeat !== undefined) return repeatFinding(flags.repeat, command, flags.seed ?? 1, interruption)
  // A suite may use a fixed port or a database, so its runs follow each other unless the user says otherwise.
  const jobs = flags.jobs ?? 1
  const retries = retriesOf(resolveContract())
  const { tolerate = false, only = SUITE_KINDS } = flags
  const explored = (settings: ExploreSettings) =>
    exploreSuite({ ...settings, retries, command, tolerate, runSuite: runnerOf(command) })
  return reportAll([explored], { ...flags, jobs, only }, interruption)
}

async function repeatFinding(
  file: string,
  command: readonly string[],
  seed: number,
  interruption: Interruption,
): Promise<number> {
  const saved = await readDataFile(file)
  let places: readonly PlacedDisturbance[]
  try {
    places = placesOfSaved(saved)
  } catch (cause) {
    throw new UsageError(`${file}: ${messageOf(cause)}`)
  }
  const repeating = repeatSuite({ command, seed, runSuite: runnerOf(command) }, places, comparesIn(saved))
  const attempt = await interruption.ended(repeating)
  if (!attempt) return EXIT.interrupted
  await writerTo(process.stdout)(repetitionText(attempt, await paintFor(process.stdout)))
  if (attempt.outcome === 'failed') return EXIT.expectationFailed
  return attempt.outcome === 'survived' ? EXIT.done : EXIT.timedOut
}

const retriesOf = (contract: Contract) => Math.max(1, contract['events.retry'].length - 1)

/** Explores one after the other, and reports each. */
async function reportAll(
  explorations: readonly ((settings: ExploreSettings) => Promise<Exploration>)[],
  flags: ExploreFlags & { readonly jobs: number },
  { signal }: Interruption,
): Promise<number> {
  const reported: Reported[] = []
  const out = textStream(flags)
  const paint = await paintFor(out)
  for (const one of explorations) {
    if (signal.aborted) break
    const exploration = await exploreOne(one, flags, out, signal)
    const report = { exploration, saved: await saveFindings(exploration, flags.save) }
    reported.push(report)
    await writerTo(out)(fitToTerminal(exploreText(report, paint), out.columns))
  }
  const left = explorations.length - reported.length
  if (left > 0)
    await writerTo(out)(`Interrupted: ${left} of ${explorations.length} files were not explored.\n`)
  await writeReports(flags, format => WRITERS[format](reported))
  return codeOf(reported.map(({ exploration }) => exploration))
}

async function exploreOne(
  exploring: (settings: ExploreSettings) => Promise<Exploration>,
  flags: ExploreFlags & { readonly jobs: number },
  out: NodeJS.WriteStream,
  signal: AbortSignal,
): Promise<Exploration> {
  const spinner = await spinnerFor(out)
  const progress = new Progress(flags.suite ? flags.jobs : undefined)
  try {
    return await exploring({
      seed: flags.seed ?? 1,
      jobs: flags.jobs,
      kinds: kindsOf(flags),
      mostRuns: flags.runs,
      forMs: flags.for,
      retries: 1,
      slow: `${flags.slow ?? 2000}ms`,
      signal,
      tried(attempt, done, of) {
        const text = progress.after(attempt, done, of)
        if (spinner) spinner.text = cleaned(text)
      },
    })
  } finally {
    spinner?.stop()
  }
}

/** The line that shows how far an exploration is. A try of a test command takes long, so it says how long. */
class Progress {
  readonly #failures = new Set<string>()
  #tookMs = 0
  #tries = 0

  constructor(private readonly jobsOfSuite: number | undefined) {}

  after({ places, failure, result }: Attempt, done: number, of: number | null): string {
    const kinds = places.map(({ kind }) => kind).join(' and ')
    if (failure) this.#failures.add(`${kinds} ${failure.sameAs}`)
    this.#tookMs += result.tookMs
    this.#tries += 1
    const found = this.#failures.size
    return [
      of === null ? String(done) : `${done}/${of}`,
      ...this.#times(of === null ? undefined : of - done),
      ...(found > 0 ? [`${found} failure${found === 1 ? '' : 's'} so far`] : []),
      kinds,
    ].join('  ')
  }

  #times(left: number | undefined): string[] {
    if (this.jobsOfSuite === undefined) return []
    const eachS = this.#tookMs / this.#tries / 1000
    const leftS = left === undefined ? [] : [`about ${Math.ceil((left * eachS) / this.jobsOfSuite)} s left`]
    return [`${eachS.toFixed(1)} s each`, ...leftS]
  }
}

function kindsOf({ only, skip = [] }: ExploreFlags): DisturbanceKind[] {
  return KINDS.filter(kind => (only ?? KINDS).includes(kind) && !skip.includes(kind))
}

/** Refuses scenarios that cannot be explored. */
function demandExplorable(scenarios: readonly Scenario[]): void {
  const problems = scenarios.flatMap(({ file, data, positions }) => {
    const at = (path: string) => ({ file, ...positions.of([path]) })
    const { clock = 'virtual' } = data
    const isReal = (typeof clock === 'object' ? clock.mode : clock) !== 'virtual'
    const steps = (data.steps ?? []) as Record<string, unknown>[]
    return [
      ...(data.app ? [] : [{ ...at('name'), message: 'explore needs an application: add app to the file' }]),
      ...(isReal
        ? [
            {
              ...at('clock'),
              message: 'explore needs a virtual clock, but this one is real: use clock: virtual',
            },
          ]
        : []),
      ...(steps.some(step => 'disturb' in step)
        ? [{ ...at('steps'), message: 'this scenario already has disturbances: run it with `paysim run`' }]
        : []),
    ]
  })
  if (problems.length > 0) throw new FilesError(new ScenarioError(problems).message)
}

const WRITERS = {
  junit: exploreJunit,
  json: exploreJson,
  html: (reported: readonly Reported[]) => reportPage(exploreJson(reported)),
} as const

/** The worst result of all files decides. */
function codeOf(explorations: readonly Exploration[]): number {
  const verdicts = new Set(explorations.map(verdictOf))
  if (verdicts.has('found')) return EXIT.expectationFailed
  if (verdicts.has('plain run fails') || verdicts.has('plain runs differ')) return EXIT.usage
  return verdicts.has('not all tried') ? EXIT.timedOut : EXIT.done
}

/** Breaks the lines of a report between words, as wide as the terminal. A command to copy stays in one piece. */
export function fitToTerminal(report: string, columns: number | undefined): string {
  if (columns === undefined) return report
  const lines = report.split('\n').flatMap(line => {
    const indent = /^ */.exec(line)?.[0] ?? ''
    if (widthOf(line) <= columns || /: paysim (run|explore --suite) /.test(line)) return [line]
    const room = Math.max(20, columns - indent.length - 2)
    const [first, ...rest] = wrapTo(line.slice(indent.length), room, widthOf)
    return [`${indent}${first}`, ...rest.map(more => `${indent}  ${more}`)]
  })
  return lines.join('\n')
}

/** Runs a test command as `paysim exec` does, with all that it calls and all that is sent to it under `run`'s control. */
function runnerOf(command: readonly string[]): RunSuite {
  return async (run, seed, withinMs) => {
    const simulator = await startWith(
      { seed, onWarning: () => {} },
      {
        relayWebhook: (request, send) => run.relay(request, message => send({ ...request, ...message })),
      },
    )
    try {
      const proxy = await run.open(gatewayOf(simulator))
      const output = new Output()
      const environment = await environmentOf(simulator)
      const { pathname } = new URL(simulator.controlUrl)
      const through = { PAYSIM_BASE_URL: proxy, PAYSIM_CONTROL_URL: proxy + pathname }
      const ending = await runCommand(
        command,
        { ...environment, ...through },
        { captured: { output, withinMs } },
      )
      return { ...ending, output: output.lines() }
    } finally {
      await simulator.stop()
    }
  }
}

function gatewayOf({ url, control }: RunningSimulator): SuiteGateway {
  return {
    url,
    contract: resolveContract(),
    accounts: async () => {
      const merchants = await control.merchants.list()
      const accounts = merchants.flatMap(merchant => merchant.accounts)
      return Promise.all(accounts.map(({ id }) => accountOf(control, id)))
    },
    fireDueTimers: account => control.account(account).clock.advance('0s'),
  }
}

async function accountOf(control: RunningSimulator['control'], id: string): Promise<SuiteAccount> {
  const keys = await control.account(id).keys.list()
  const authorizations = keys.flatMap(({ public_key, secret_key }) =>
    secret_key ? [basicAuthorization(public_key, secret_key)] : [],
  )
  return { id, authorizations }
}
