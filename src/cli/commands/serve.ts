import { type Command, Option } from 'commander'
import { StartError } from '../../engine/store/store-errors.ts'
import { Simulator } from '../../simulator.ts'
import { newCommand } from '../command-table.ts'
import { messageOf } from '../errors/cli-errors.ts'
import { again, historyKept, milliseconds, port, type StartFlags, startFlags } from '../flag-values.ts'
import { readDataFile, readObjectFile } from '../named-file.ts'
import { jsonOutput, type ServeOutput, terminalOutput } from '../serve-output.ts'
import { endWithNpx } from '../started-by-npx.ts'
import { readOrigin, storeIn } from '../store-address.ts'
import { announce } from '../where/run-folder.ts'

interface ServeFlags extends StartFlags {
  port: number
  host: string
  data?: string
  store?: string
  publicUrl?: string
  advertise?: string
  ephemeral?: true
  watch?: true
  json?: true
  verbose?: true
  open?: true
  controlPort?: number
  controlToken?: string
  controlTokenFile?: string
  allowHost: string[]
  allowWebhooks: string[]
  durability: 'commit' | 'process'
  history?: number
  advanceWait?: number
  forgetAccounts?: number
  stopWithStdin?: true
}

export function command(): Command {
  const it = newCommand('serve')
    .description('Run the whole merchant API locally, with a provider and a clock that you control.')
    .option('--port <n>', 'port to listen on; 0 means any free port', port, 7297)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <dir>', 'folder for all data (default: "./.paysim", env: PAYSIM_DATA)')
    .option('--store <url>', 'where all data is kept: file:DIR, memory:, or postgres://… (env: PAYSIM_STORE)')
    .addOption(
      new Option(
        '--public-url <url>',
        'what links and pages begin with, such as behind a tunnel (default: the address of the server)',
      ).env('PAYSIM_PUBLIC_URL'),
    )
    .option(
      '--advertise <url>',
      'where other processes on the same database reach this one (default: the address of the server)',
    )
    .option(
      '--scenario <file>',
      'apply the rules, faults, clock, catalogue and policy of this file to the default merchant (repeatable)',
      again,
      [],
    )
    .option('--watch', 'apply the scenario files again when they change')
    .option('--ephemeral', 'keep all data in memory, and lose it at the end')
  return startFlags(it)
    .option('--open', 'open the dashboard in a browser, signed in')
    .option('--json', 'print NDJSON: a ready line, then one line for each request and each change')
    .addOption(
      new Option(
        '--verbose',
        'also print reads of the control surface, and each event with its details',
      ).conflicts('json'),
    )
    .option('--control-port <n>', 'serve the control surface on a separate port', port)
    .addOption(
      new Option(
        '--control-token <token>',
        'token of the control surface (default: made once, and kept in the store)',
      ).env('PAYSIM_CONTROL_TOKEN'),
    )
    .option('--control-token-file <file>', 'read the token from this file; - means stdin')
    .option('--allow-host <name>', 'also answer requests for this host name (repeatable)', again, [])
    .option(
      '--allow-webhooks <host>',
      'also allow webhooks to this host, address or range (repeatable)',
      again,
      [],
    )
    .addOption(
      new Option(
        '--durability <level>',
        'send an answer when its change is synced to disk (commit), or when it is written (process)',
      )
        .choices(['commit', 'process'])
        .default('commit'),
    )
    .addOption(
      new Option(
        '--history <duration>',
        'how long the entries of the journal are kept once a checkpoint has them, such as 7d, or all (default: all)',
      )
        .argParser(historyKept)
        .conflicts('ephemeral'),
    )
    .option(
      '--advance-wait <duration>',
      'how long one advance of a virtual clock waits for webhook receivers in all (default: 15s)',
      milliseconds,
    )
    .option(
      '--forget-accounts <duration>',
      'with --ephemeral: remove a merchant that a call made once nobody calls it for so long, such as 10m (default: never)',
      milliseconds,
    )
    .option(
      '--stop-with-stdin',
      'stop when stdin ends, such as when the program that started the server ends',
    )
    .addHelpText(
      'after',
      `
Examples:
  paysim serve
  paysim serve --ephemeral --clock virtual --seed 7
  paysim serve --json --port 0 --data /tmp/shop`,
    )
    .action(serve)
}

async function serve(flags: ServeFlags): Promise<void> {
  // The reader may go away, such as `head -1` after the ready line: the server goes on.
  process.stdout.on('error', () => {})
  const output = flags.json ? jsonOutput() : await terminalOutput(flags.verbose === true)
  let simulator: Simulator
  let isRefused = false
  // Until it is ready, it can end as it is.
  let stop: (exitCode: number) => void = process.exit
  const refuse = ({ message, exitCode }: StartError) => {
    if (isRefused) return
    isRefused = true
    process.stderr.write(`paysim serve: ${message}\n`)
    stop(exitCode)
  }
  try {
    simulator = await start(flags, output, refuse)
    if (flags.scenario.length > 0) await applyScenarios(simulator, flags, output)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`paysim serve: ${error.message}\n`)
    process.exitCode = error.exitCode
    return
  }
  const withdraw = announceHere(simulator, output)
  // Before the ready line: the first thing that its reader does may be to stop the server.
  let _leaving: Promise<never> | undefined
  const leave = async (exitCode: number) => {
    withdraw()
    const failure = await simulator.stop().then(() => undefined, failedToStop)
    output.flush()
    process.exit(exitCode || failure)
  }
  stop = exitCode => {
    _leaving ??= leave(exitCode)
  }
  process.on('SIGINT', () => stop(0)).on('SIGTERM', () => stop(0))
  endWithNpx(() => stop(0))
  if (flags.stopWithStdin)
    process.stdin
      .on('error', () => stop(0))
      .on('close', () => stop(0))
      .resume()
  output.ready(simulator)
  if (flags.open) {
    const { openInBrowser } = await import('../open-in-browser.ts')
    openInBrowser(simulator.newSignInLink(), output.warn)
  }
}

/** What could not be exported is said, and seen in the exit code. */
function failedToStop(cause: unknown): number {
  if (!(cause instanceof StartError)) throw cause
  process.stderr.write(`paysim serve: ${cause.message}\n`)
  return cause.exitCode
}

/** Announces the server, so that other commands in the same folder find it, whatever its data directory is. */
function announceHere(simulator: Simulator, output: ServeOutput): () => void {
  const { data_dir, ...facts } = simulator.facts()
  try {
    return announce({ pid: process.pid, data_dir, ...(data_dir === null ? facts : {}) })
  } catch (cause) {
    const why = messageOf(cause)
    if (data_dir === null)
      output.warn(
        `other commands cannot find this server automatically (${why}): set PAYSIM_BASE_URL and PAYSIM_CONTROL_URL for them`,
      )
    return () => {}
  }
}

/** Loads the scenario loader late: it brings a YAML parser and a validator, which most starts do not need. */
async function applyScenarios(simulator: Simulator, flags: ServeFlags, output: ServeOutput): Promise<void> {
  const { readScript } = await import('../scenario/overlays.ts')
  const standard = simulator.catalogue
  try {
    await simulator.script(await readScript(flags.scenario, { standard, clock: flags.clock }))
  } catch (error) {
    await simulator.stop()
    throw error
  }
  if (!flags.watch) return
  const { watchFiles } = await import('../scenario/watch.ts')
  watchFiles(flags.scenario, async () => {
    try {
      await simulator.script(await readScript(flags.scenario, { standard, clock: flags.clock }))
      output.warn('the scenario file changed: its rules and faults are in effect now')
    } catch (error) {
      output.warn(
        `the scenario file changed, but cannot be used: ${messageOf(error)}\nThe earlier rules and faults stay in effect.`,
      )
    }
  })
}

/** The file overrides the environment, as any option does. */
async function controlTokenOf({ controlToken, controlTokenFile }: ServeFlags): Promise<string | undefined> {
  if (controlTokenFile === undefined) return controlToken
  if (controlToken !== undefined && controlToken !== process.env.PAYSIM_CONTROL_TOKEN)
    throw new StartError('give --control-token or --control-token-file, not both', 2)
  const { readToken } = await import('../where/key-file.ts')
  return readToken(controlTokenFile)
}

async function start(
  flags: ServeFlags,
  output: ServeOutput,
  onRefused: (error: StartError) => void,
): Promise<Simulator> {
  if (flags.watch && flags.scenario.length === 0) throw new StartError('--watch needs --scenario', 2)
  const place = storeIn(flags)
  const isKept = place.dataDir !== null || place.database !== undefined
  if (flags.forgetAccounts !== undefined && isKept)
    throw new StartError(
      '--forget-accounts needs --ephemeral: what is kept in a store is removed only by a call, such as `paysim sim merchants remove`',
      2,
    )
  return Simulator.start({
    port: flags.port,
    host: flags.host,
    ...place,
    publicUrl: readOrigin('the public URL', flags.publicUrl),
    advertise: readOrigin('--advertise', flags.advertise),
    contract: flags.contract === undefined ? undefined : await readObjectFile(flags.contract),
    catalogue: flags.catalogue === undefined ? undefined : await readDataFile(flags.catalogue),
    clock: flags.clock,
    seed: flags.seed,
    controlPort: flags.controlPort,
    controlToken: await controlTokenOf(flags),
    allowHosts: flags.allowHost,
    allowWebhooks: flags.allowWebhooks,
    durability: flags.durability,
    historyMs: flags.history,
    advanceWaitMs: flags.advanceWait,
    forgetMs: flags.forgetAccounts,
    from: flags.from,
    keepEndpoints: flags.keepEndpoints,
    exportOnExit: flags.exportOnExit,
    warn: output.warn,
    onRefused,
  })
}
