import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { acceptsConnections } from '../../application/listening.ts'
import type { Catalogue } from '../../client/control-client.ts'
import { StartError } from '../../engine/store/store-errors.ts'
import type { RunningSimulator } from '../../library/running-simulator.ts'
import { startWith } from '../../library/start-simulator.ts'
import type { Scenario } from '../../scenario/schema/file.ts'
import { newCommand } from '../command-table.ts'
import { messageOf } from '../errors/cli-errors.ts'
import { ACCOUNT, environmentOf, Signals, statusOf } from '../exec/run-command.ts'
import type { ScenarioApplication } from '../exec/scenario-application.ts'
import { again, type StartFlags, startFlags, webhookTarget } from '../flag-values.ts'
import { readDataFile, readObjectFile } from '../named-file.ts'

interface ExecFlags extends StartFlags {
  forwardTo?: URL
  keep?: string
}

export function command(): Command {
  const it = newCommand('exec')
    .description(
      'Run a command, such as a test suite, with its own simulator, which stops when the command ends.',
    )
    .usage('[options] -- COMMAND [arguments]')
    .argument('<command...>', 'the command and its arguments')
    .passThroughOptions()
    .option(
      '--scenario <file>',
      'apply the rules, faults, clock and catalogue of this file to the default merchant (repeatable)',
      again,
      [],
    )
  return startFlags(it)
    .option(
      '--forward-to <url>',
      'send webhooks to your application at this URL, once its port accepts connections',
      webhookTarget,
    )
    .option(
      '--keep <dir>',
      'if the command fails, export the account to this folder, for `paysim sim import`',
    )
    .addHelpText(
      'after',
      `
These environment variables tell the command about the simulator: PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY,
PAYSIM_SECRET_KEY, PAYSIM_CONTROL_URL, PAYSIM_CONTROL_TOKEN and PAYSIM_ACCOUNT. With --forward-to,
PAYSIM_WEBHOOK_SECRET is the secret that signs the webhooks. The exit status is that of the command.

If a --scenario file has an application (app), it starts before the command, receives the webhooks, and stops after the
command. PAYSIM_APP_URL is its URL, and PAYSIM_WEBHOOK_SECRET is the secret that signs its webhooks.

Examples:
  paysim exec -- npm test
  paysim exec --clock virtual --seed 7 -- pytest -q
  paysim exec --scenario declines.yaml -- vendor/bin/phpunit
  paysim exec --forward-to localhost:3000/hooks --keep ./failed -- npm run test:e2e`,
    )
    .action(exec)
}

async function exec(words: string[], flags: ExecFlags): Promise<never> {
  const signals = new Signals()
  try {
    const application = flags.forwardTo && new Application(flags.forwardTo)
    const { simulator, scenarios } = await start(flags, application)
    const status = await runWith(simulator, words, {
      signals,
      application,
      scenarios,
      keep: flags.keep,
    }).finally(() => simulator.stop())
    process.exit(status)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    warn(error.message)
    process.exit(error.exitCode)
  }
}

async function start(
  { scenario, catalogue, contract, clock, seed, from, keepEndpoints, exportOnExit }: ExecFlags,
  application: Application | undefined,
): Promise<{ simulator: RunningSimulator; scenarios: readonly Scenario[] }> {
  // Loaded late: it brings a YAML parser and a validator, which most runs do not need.
  const overlays = scenario.length > 0 ? await import('../scenario/overlays.ts') : undefined
  const scenarios = (await overlays?.readOverlays(scenario)) ?? []
  const options = {
    ...(catalogue === undefined ? {} : { catalogue: (await readDataFile(catalogue)) as Catalogue }),
    ...(contract === undefined ? {} : { contract: await readObjectFile(contract) }),
    ...(clock === undefined ? {} : { clock }),
    ...(seed === undefined ? {} : { seed }),
    ...(from === undefined ? {} : { from }),
    ...(keepEndpoints === undefined ? {} : { keepEndpoints }),
    ...(exportOnExit === undefined ? {} : { exportOnExit }),
    // The caller named this host, so webhooks may go there.
    ...(application ? { allowWebhooks: [application.url.host] } : {}),
    onWarning: warn,
  }
  const simulator = await startWith(options, { holdWebhook: application?.hold })
  try {
    // An option overrides a file.
    await overlays?.replaceMerchant(simulator, scenarios, clock === undefined ? {} : { clock })
    return { simulator, scenarios }
  } catch (cause) {
    await simulator.stop()
    throw cause
  }
}

interface RunOptions {
  readonly signals: Signals
  readonly application: Application | undefined
  readonly scenarios: readonly Scenario[]
  readonly keep: string | undefined
}

async function runWith(
  simulator: RunningSimulator,
  words: readonly string[],
  { signals, application, scenarios, keep }: RunOptions,
): Promise<number> {
  const { runCommand } = await import('../exec/run-command.ts')
  const ofScenario = await openApplication(simulator, scenarios, application)
  try {
    const environment = {
      ...(await environmentOf(simulator)),
      ...ofScenario?.environment,
      ...(application ? { PAYSIM_WEBHOOK_SECRET: await register(simulator, application) } : {}),
    }
    if (signals.missed) return statusOf(signals.missed)
    const ending = await runCommand(words, environment, { signals })
    const { problem } = ending
    if (problem !== undefined) warn(problem)
    if (application?.problem) warn(application.problem)
    const isFailure = ending.status !== 0 && problem === undefined
    const output = ofScenario?.output() ?? []
    if (isFailure && output.length > 0) warn(`the application printed:\n${output.join('\n')}`)
    if (keep !== undefined && isFailure) await keepAccount(simulator, keep, ending.status)
    return ending.status
  } finally {
    await ofScenario?.close()
  }
}

/** The application of a scenario file. It loads an HTTP client and much else, so only such a file loads it. */
async function openApplication(
  simulator: RunningSimulator,
  scenarios: readonly Scenario[],
  forwarded: Application | undefined,
): Promise<ScenarioApplication | undefined> {
  const described = scenarios.find(({ data }) => data.app)
  if (!described) return undefined
  if (forwarded)
    throw new StartError(`--forward-to and the app in ${described.file} both name an application: use one`, 2)
  const { openScenarioApplication } = await import('../exec/scenario-application.ts')
  return openScenarioApplication(simulator, scenarios, ACCOUNT)
}

async function register({ control }: RunningSimulator, { url }: Application): Promise<string> {
  const { secret } = await control.account(ACCOUNT).webhookEndpoints.add({ url: url.href })
  return secret
}

/** Exports the account of a failed command. If that fails, the command's status still counts. */
async function keepAccount({ control }: RunningSimulator, folder: string, status: number): Promise<void> {
  const file = join(folder, `${ACCOUNT}.json`)
  try {
    await mkdir(folder, { recursive: true })
    const { writeArchive } = await import('../control/archive.ts')
    await writeArchive(await control.account(ACCOUNT).exportStream(), file, new AbortController().signal)
    warn(`the command exited with ${status}; to inspect its account, run: paysim sim import ${file}`)
  } catch (cause) {
    warn(`cannot export the account: ${messageOf(cause)}`)
  }
}

function warn(message: string): void {
  process.stderr.write(`paysim exec: ${message}\n`)
}

const POLL_MS = 50

/** The application that webhooks go to. The command may be starting it, so webhooks wait until its port accepts connections. */
class Application {
  #isUp = false
  /** Whether a webhook had to wait. */
  #hasWaiting = false

  constructor(readonly url: URL) {}

  readonly hold = (address: string, until: AbortSignal): Promise<void> | undefined =>
    this.#isUp || address !== this.url.href ? undefined : this.#wait(until)

  /** What to print at the end of a run in which webhooks waited in vain. */
  get problem(): string | undefined {
    if (this.#isUp || !this.#hasWaiting) return undefined
    return `nothing accepted connections at ${this.url.origin}: the webhooks for ${this.url.href} were not delivered`
  }

  async #wait(until: AbortSignal): Promise<void> {
    this.#hasWaiting = true
    while (!until.aborted) {
      if (await acceptsConnections(hostOf(this.url), portOf(this.url))) {
        this.#isUp = true
        return
      }
      await pause(POLL_MS, undefined, { signal: until }).catch(() => {})
    }
  }
}

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80)
/** An IPv6 address without its brackets. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')
