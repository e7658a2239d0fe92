import { type Command, InvalidArgumentError } from 'commander'
import { type DisturbanceKind, KINDS } from '../../application/disturbance.ts'
import { commandLine } from '../../application/process-family.ts'
import { type Scenario, ScenarioError } from '../../scenario/index.ts'
import { FilesError } from '../errors/cli-errors.ts'
import { commaSeparated, didYouMean, port } from '../flag-values.ts'

const RUN_FORMATS = ['junit', 'tap', 'json', 'html'] as const
const EXPLORE_FORMATS = ['junit', 'json', 'html'] as const

interface Report<Format> {
  readonly format: Format
  /** `-` means stdout. */
  readonly file: string
}

export interface RunFlags {
  readonly jobs?: number
  readonly controlUrl?: string
  readonly controlToken?: string
  readonly gatewayPort?: number
  readonly baseUrl?: string
  readonly embedded?: true
  readonly report: readonly Report<(typeof RUN_FORMATS)[number]>[]
  readonly open?: true
  readonly transcript?: string
  readonly watch?: true
  readonly quiet?: true
  readonly only?: readonly string[]
  readonly repeat?: number
  readonly seed?: number
  /** False if no application may be started. */
  readonly app?: boolean
}

export function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.')
  return Number(text)
}

const reportIn =
  <Format extends string>(formats: readonly Format[]) =>
  (text: string, before: readonly Report<Format>[]): Report<Format>[] => {
    const [, name, file = '-'] = /^([a-z]+)(?:=(.+))?$/.exec(text) ?? []
    const format = formats.find(known => known === name)
    if (!format)
      throw new InvalidArgumentError(`It must be one of ${formats.join(', ')}, such as junit=report.xml.`)
    return [...before, { format, file }]
  }

export const report = reportIn(RUN_FORMATS)
export const exploreReport = reportIn(EXPLORE_FORMATS)

export interface ExploreFlags {
  readonly kinds?: true
  readonly suite?: true
  readonly tolerate?: true
  readonly repeat?: string
  readonly only?: readonly DisturbanceKind[]
  readonly skip?: readonly DisturbanceKind[]
  readonly runs?: number
  readonly for?: number
  readonly seed?: number
  readonly jobs?: number
  readonly slow?: number
  readonly save: string
  readonly report: readonly Report<(typeof EXPLORE_FORMATS)[number]>[]
  readonly open?: true
  readonly output?: 'text' | 'json'
  readonly gatewayPort?: number
  readonly controlUrl?: string
  readonly controlToken?: string
}

function kindNamed(text: string): DisturbanceKind {
  const kind = KINDS.find(known => known === text)
  if (kind !== undefined) return kind
  throw new InvalidArgumentError(`${didYouMean(text, KINDS)}\`paysim explore --kinds\` lists the kinds.`)
}

export const kindList = (text: string): DisturbanceKind[] => commaSeparated(text).map(kindNamed)

/** Where both find the gateway. */
export const gatewayFlags = (command: Command): Command =>
  command
    .option(
      '--gateway-port <n>',
      'the port by which an application that runs already (app.url) calls the gateway (default: any free one)',
      port,
    )
    .option('--control-url <url>', 'use this running simulator (env: PAYSIM_CONTROL_URL)')
    .option('--control-token <token>', 'token of its control surface (env: PAYSIM_CONTROL_TOKEN)')

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
    const { url: _, restart: __, ...rest } = app
    return {
      ...scenario,
      data: { ...scenario.data, app: { ...rest, start: [...command], folder: process.cwd() } },
    }
  })
}

/** Refuses applications that neither run already nor can be started. */
export function demandStartable(scenarios: readonly Scenario[], { mayStart = true } = {}): void {
  const problems = scenarios.flatMap(({ file, data, positions }) =>
    startProblems(data, mayStart).map(message => ({ file, ...positions.of(['app']), message })),
  )
  if (problems.length > 0) throw new FilesError(new ScenarioError(problems).message)
}

function startProblems({ app }: Scenario['data'], mayStart: boolean): string[] {
  if (!app) return []
  const { url, start, restart } = app
  if (url === undefined && start === undefined)
    return ['app needs start or url: add one, or give the command after `--`']
  if (mayStart) return []
  const would = [
    ...(start === undefined ? [] : [['start', start, 'use url'] as const]),
    ...(restart === undefined ? [] : [['restart', restart, 'remove it'] as const]),
  ]
  return would.map(
    ([key, command, instead]) =>
      `app would ${key === 'start' ? 'start' : 'restart with'} ${commandLine(command)}, but --no-app forbids it: ${instead}, or run without --no-app`,
  )
}
