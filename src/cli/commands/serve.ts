import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { StartError } from '../../engine/start-error.ts'
import { Simulator } from '../../simulator.ts'
import { collect, port, seed } from '../flag-values.ts'
import { newCommand } from '../new-command.ts'
import { readDataFile, readObjectFile } from '../read-file.ts'
import { jsonOutput, type ServeOutput, terminalOutput } from '../serve-output.ts'
import { announce } from '../target/run-folder.ts'

interface ServeFlags {
  port: number
  host: string
  data: string
  ephemeral?: true
  scenario: string[]
  watch?: true
  catalogue?: string
  contract?: string
  clock?: 'real' | 'virtual'
  seed?: string
  json?: true
  open?: true
  controlPort?: number
  controlToken?: string
  controlTokenFile?: string
  allowHost: string[]
  allowWebhooks: string[]
  durability: 'commit' | 'process'
}

export function command(): Command {
  return newCommand('serve')
    .description('Runs the whole merchant API locally, with a provider and a clock under your control.')
    .option('--port <n>', 'port to listen on; 0 for any free one', port, 7297)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(new Option('--data <dir>', 'where everything is kept').env('PAYSIM_DATA').default('./.paysim'))
    .option(
      '--scenario <file>',
      'its rules, faults, clock, catalogue and policy, for the default merchant (repeatable)',
      collect,
      [],
    )
    .option('--watch', 'read the scenario files again when they change')
    .option('--ephemeral', 'keep everything in memory and leave nothing behind')
    .option('--catalogue <file>', 'methods and routes, in place of the default ones')
    .option(
      '--contract <file>',
      'other answers where the interface document is silent; see `paysim contract`',
    )
    .addOption(
      new Option('--clock <mode>', 'how time passes for the default merchant').choices(['real', 'virtual']),
    )
    .option('--seed <n>', 'make keys, ids and instructions repeat exactly', seed)
    .option('--open', 'open the dashboard in a browser, signed in')
    .option('--json', 'print NDJSON: the ready line, then a line each request and each change')
    .option('--control-port <n>', 'serve the control surface alone on a port of its own', port)
    .addOption(
      new Option('--control-token <token>', 'the token of the control surface; random if left out').env(
        'PAYSIM_CONTROL_TOKEN',
      ),
    )
    .option('--control-token-file <file>', 'read the token from a file; - reads it from stdin')
    .option('--allow-host <name>', 'answer to this host name too (repeatable)', collect, [])
    .option(
      '--allow-webhooks <host>',
      'let webhooks go to this host, address or range too (repeatable)',
      collect,
      [],
    )
    .addOption(
      new Option(
        '--durability <level>',
        'when an answer may leave: once its line is synced to disk, or once it is written',
      )
        .choices(['commit', 'process'])
        .default('commit'),
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
  // Who reads what it says may go, as `head -1` does once it is ready. Without a listener, Node would end with them.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const output = flags.json ? jsonOutput() : await terminalOutput()
  let simulator: Simulator
  try {
    simulator = await start(flags, output)
    if (flags.scenario.length > 0) await playScenarios(simulator, flags, output)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`paysim serve: ${error.message}\n`)
    process.exitCode = error.exitCode
    return
  }
  const withdraw = await announceHere(simulator, output)
  // Before anybody is told that it is ready: the first thing they do may be to stop it.
  let _stopping: Promise<never> | undefined
  const stop = () => {
    _stopping ??= Promise.all([simulator.stop(), withdraw()]).then(() => {
      output.flush()
      process.exit(0)
    })
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  output.ready(simulator)
  if (flags.open) {
    const { openInBrowser } = await import('../open-in-browser.ts')
    openInBrowser(simulator.newSignInLink(), output.warn)
  }
}

/** So that other commands of the same folder find it, whatever its data directory is called. */
async function announceHere(simulator: Simulator, output: ServeOutput): Promise<() => Promise<void>> {
  const { data_dir, ...facts } = simulator.facts()
  try {
    return await announce({ pid: process.pid, data_dir, ...(data_dir === null ? facts : {}) })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    if (data_dir === null)
      output.warn(
        `other commands do not find this server by themselves (${why}): give them PAYSIM_BASE_URL and PAYSIM_CONTROL_URL`,
      )
    return async () => {}
  }
}

/** The loader brings a YAML parser and a validator: a start without a scenario does not pay for them. */
async function playScenarios(simulator: Simulator, flags: ServeFlags, output: ServeOutput): Promise<void> {
  const { readScript, rereadOnChange } = await import('../serve-scenario.ts')
  const standard = simulator.catalogue
  try {
    await simulator.script(await readScript(flags.scenario, { standard, clock: flags.clock }))
  } catch (error) {
    await simulator.stop()
    throw error
  }
  if (flags.watch)
    rereadOnChange(flags.scenario, async () => {
      try {
        await simulator.script(await readScript(flags.scenario, { standard, clock: flags.clock }))
        output.warn('the scenario changed: its rules and faults are in force')
      } catch (error) {
        output.warn(
          `the scenario changed, and stays as it was: ${error instanceof Error ? error.message : error}`,
        )
      }
    })
}

/** The file goes before the environment, as any flag does. */
async function controlTokenOf({ controlToken, controlTokenFile }: ServeFlags): Promise<string | undefined> {
  if (controlTokenFile === undefined) return controlToken
  if (controlToken !== undefined && controlToken !== process.env.PAYSIM_CONTROL_TOKEN)
    throw new StartError('give --control-token or --control-token-file, not both', 2)
  const { readToken } = await import('../control/find-control.ts')
  return readToken(controlTokenFile)
}

async function start(flags: ServeFlags, output: ServeOutput): Promise<Simulator> {
  if (flags.watch && flags.scenario.length === 0) throw new StartError('--watch goes with --scenario', 2)
  return Simulator.start({
    port: flags.port,
    host: flags.host,
    dataDir: flags.ephemeral ? null : resolve(flags.data),
    contract: flags.contract === undefined ? undefined : await readObjectFile(flags.contract),
    catalogue: flags.catalogue === undefined ? undefined : await readDataFile(flags.catalogue),
    clock: flags.clock,
    seed: flags.seed,
    controlPort: flags.controlPort,
    controlToken: await controlTokenOf(flags),
    allowHosts: flags.allowHost,
    allowWebhooks: flags.allowWebhooks,
    durability: flags.durability,
    warn: output.warn,
  })
}
