import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { Catalogue } from '../../client/control-client.ts'
import { StartError } from '../../engine/start-error.ts'
import type { RunningSimulator } from '../../library/running-simulator.ts'
import { startHolding } from '../../library/start-simulator.ts'
import { Application } from '../exec/application.ts'
import { Signals, statusOf } from '../exec/signals.ts'
import { collect, seed, webhookTarget } from '../flag-values.ts'
import { newCommand } from '../new-command.ts'
import { readDataFile, readObjectFile } from '../read-file.ts'

interface ExecFlags {
  scenario: string[]
  catalogue?: string
  contract?: string
  clock?: 'real' | 'virtual'
  seed?: string
  forwardTo?: URL
  keep?: string
}

/** The account whose keys the command is given. */
const ACCOUNT = 'default.test'

export function command(): Command {
  return newCommand('exec')
    .description('Runs a command, as a test suite, with a simulator of its own that is gone when it ends.')
    .usage('[options] -- COMMAND [arguments]')
    .argument('<command...>', 'the command and its arguments')
    .passThroughOptions()
    .option(
      '--scenario <file>',
      'lay its rules, faults, clock and catalogue over the default merchant (repeatable)',
      collect,
      [],
    )
    .option('--catalogue <file>', 'methods and routes, in place of the default ones')
    .option(
      '--contract <file>',
      'other answers where the interface document is silent; see `paysim contract`',
    )
    .addOption(
      new Option('--clock <mode>', 'how time passes for the default merchant').choices(['real', 'virtual']),
    )
    .option('--seed <n>', 'make keys, ids and instructions repeat exactly', seed)
    .option(
      '--forward-to <url>',
      'where your application takes webhooks; they wait until its port takes connections',
      webhookTarget,
    )
    .option('--keep <dir>', 'where to keep the account if the command fails; `paysim sim import` takes it')
    .addHelpText(
      'after',
      `
The command finds the simulator in its environment: PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY,
PAYSIM_CONTROL_URL and PAYSIM_CONTROL_TOKEN, PAYSIM_ACCOUNT. With --forward-to, PAYSIM_WEBHOOK_SECRET is what the
webhooks are signed with. Its exit status is that of the command.

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
    const simulator = await start(flags, application)
    const status = await runBeside(simulator, words, { signals, application, keep: flags.keep }).finally(() =>
      simulator.stop(),
    )
    process.exit(status)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    say(error.message)
    process.exit(error.exitCode)
  }
}

async function start(
  { scenario, catalogue, contract, clock, seed }: ExecFlags,
  application: Application | undefined,
): Promise<RunningSimulator> {
  // The loader brings a YAML parser and a validator: most runs need neither.
  const overlays = scenario.length > 0 ? await import('../exec/overlay.ts') : undefined
  const scenarios = (await overlays?.readOverlays(scenario)) ?? []
  const options = {
    ...(catalogue === undefined ? {} : { catalogue: (await readDataFile(catalogue)) as Catalogue }),
    ...(contract === undefined ? {} : { contract: await readObjectFile(contract) }),
    ...(clock === undefined ? {} : { clock }),
    ...(seed === undefined ? {} : { seed }),
    // Whoever names a host means it.
    ...(application ? { allowWebhooks: [application.url.host] } : {}),
    onWarning: say,
  }
  const simulator = await startHolding(options, application?.hold)
  try {
    // A flag beats a file.
    await overlays?.layOver(simulator, scenarios, clock === undefined ? {} : { clock })
    return simulator
  } catch (cause) {
    await simulator.stop()
    throw cause
  }
}

interface Beside {
  readonly signals: Signals
  readonly application: Application | undefined
  readonly keep: string | undefined
}

async function runBeside(
  simulator: RunningSimulator,
  words: readonly string[],
  { signals, application, keep }: Beside,
): Promise<number> {
  const { runCommand } = await import('../exec/run-command.ts')
  const environment = {
    ...(await environmentOf(simulator)),
    ...(application ? { PAYSIM_WEBHOOK_SECRET: await register(simulator, application) } : {}),
  }
  if (signals.missed) return statusOf(signals.missed)
  const ending = await runCommand(words, environment, signals)
  if ('problem' in ending) say(ending.problem)
  if (application?.complaint) say(application.complaint)
  if (keep !== undefined && ending.status !== 0 && !('problem' in ending))
    await keepAccount(simulator, keep, ending.status)
  return ending.status
}

async function register({ control }: RunningSimulator, { url }: Application): Promise<string> {
  const { secret } = await control.account(ACCOUNT).webhookEndpoints.add({ url: url.href })
  return secret
}

/** What the command left behind, for whoever wonders why it failed. Its status stands, whatever becomes of this. */
async function keepAccount({ control }: RunningSimulator, folder: string, status: number): Promise<void> {
  const file = join(folder, `${ACCOUNT}.json`)
  try {
    await mkdir(folder, { recursive: true })
    const { writeArchive } = await import('../control/archive.ts')
    await writeArchive(await control.account(ACCOUNT).exportStream(), file, new AbortController().signal)
    say(`the command ended with ${status}; look at what it left behind by: paysim sim import ${file}`)
  } catch (cause) {
    say(`the account could not be kept: ${cause instanceof Error ? cause.message : cause}`)
  }
}

async function environmentOf(simulator: RunningSimulator): Promise<Record<string, string>> {
  const { id, baseUrl, publicKey, secretKey } = await simulator.account(ACCOUNT)
  return {
    PAYSIM_BASE_URL: baseUrl,
    PAYSIM_PUBLIC_KEY: publicKey,
    PAYSIM_SECRET_KEY: secretKey,
    PAYSIM_CONTROL_URL: simulator.controlUrl,
    PAYSIM_CONTROL_TOKEN: simulator.controlToken,
    PAYSIM_ACCOUNT: id,
  }
}

function say(message: string): void {
  process.stderr.write(`paysim exec: ${message}\n`)
}
