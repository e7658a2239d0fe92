import { type Command, Option } from 'commander'
import type { Catalogue } from '../../client/control-client.ts'
import { StartFault } from '../../engine/start-fault.ts'
import type { RunningSimulator } from '../../library/running-simulator.ts'
import { startSimulator } from '../../library/start-simulator.ts'
import { Signals, statusOf } from '../exec/signals.ts'
import { collect, seed } from '../flag-values.ts'
import { newCommand } from '../new-command.ts'
import { readDataFile, readObjectFile } from '../read-file.ts'

interface ExecFlags {
  scenario: string[]
  catalogue?: string
  contract?: string
  clock?: 'real' | 'virtual'
  seed?: string
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
    .addHelpText(
      'after',
      `
The command finds the simulator in its environment: PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY,
PAYSIM_CONTROL_URL and PAYSIM_CONTROL_TOKEN, PAYSIM_ACCOUNT. Its exit status is that of the command.

Examples:
  paysim exec -- npm test
  paysim exec --clock virtual --seed 7 -- pytest -q
  paysim exec --scenario declines.yaml -- vendor/bin/phpunit`,
    )
    .action(exec)
}

async function exec(words: string[], flags: ExecFlags): Promise<never> {
  const signals = new Signals()
  try {
    const simulator = await start(flags)
    const status = await runBeside(simulator, words, signals).finally(() => simulator.stop())
    process.exit(status)
  } catch (fault) {
    if (!(fault instanceof StartFault)) throw fault
    say(fault.message)
    process.exit(fault.exitCode)
  }
}

async function start({ scenario, catalogue, contract, clock, seed }: ExecFlags): Promise<RunningSimulator> {
  // The loader brings a YAML parser and a validator: most runs need neither.
  const overlays = scenario.length > 0 ? await import('../exec/overlay.ts') : undefined
  const scenarios = (await overlays?.readOverlays(scenario)) ?? []
  const simulator = await startSimulator({
    ...(catalogue === undefined ? {} : { catalogue: (await readDataFile(catalogue)) as Catalogue }),
    ...(contract === undefined ? {} : { contract: await readObjectFile(contract) }),
    ...(clock === undefined ? {} : { clock }),
    ...(seed === undefined ? {} : { seed }),
    onWarning: say,
  })
  try {
    // A flag beats a file.
    await overlays?.layOver(simulator, scenarios, clock === undefined ? {} : { clock })
    return simulator
  } catch (cause) {
    await simulator.stop()
    throw cause
  }
}

async function runBeside(
  simulator: RunningSimulator,
  words: readonly string[],
  signals: Signals,
): Promise<number> {
  const { runCommand } = await import('../exec/run-command.ts')
  const environment = await environmentOf(simulator)
  if (signals.missed) return statusOf(signals.missed)
  const ending = await runCommand(words, environment, signals)
  if ('fault' in ending) say(ending.fault)
  return ending.status
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
