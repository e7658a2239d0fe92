import type { Command } from 'commander'
import { PROGRAM } from '../../package-files.ts'
import { newCommand } from '../command-table.ts'
import { examples } from '../control/session.ts'
import { optionFor } from '../values.ts'
import { NoSimulatorError } from '../where/control.ts'
import { type ControlTargetFlags, controlTargetFlags } from '../where/flags.ts'
import { accountNamed } from '../where/simulators.ts'
import { whereControlIs } from '../where/where.ts'

interface McpFlags extends ControlTargetFlags {
  readonly start?: true
  readonly readOnly?: true
  readonly config?: true
  readonly account?: string
}

export const command = (): Command =>
  controlTargetFlags(
    newCommand('mcp')
      .description(
        'Serve the Model Context Protocol on stdin and stdout, so that an agent can see why a payment waits, and move it.',
      )
      .option('--start', 'start a simulator in memory with a virtual clock, which stops with this command')
      .option('--read-only', 'leave out every tool that changes something')
      .option('--config', 'print the configuration for an MCP client, and exit')
      .addOption(
        optionFor(
          '--account <id>',
          'account that the tools use by default, such as shop.live (default: default.test)',
          { known: 'accounts' },
        ).env('PAYSIM_ACCOUNT'),
      ),
  )
    .addHelpText(
      'after',
      `
Without \`--start\`, the tools are about the simulator that \`paysim sim\` calls, which may start later. Keys, tokens and
secrets are never in an answer. A file with the keys of an account is written on demand, and only you can read it.

${examples('paysim mcp --config', 'paysim mcp --start', 'paysim mcp --read-only --account shop.test').trimStart()}`,
    )
    .action(serve)

async function serve(flags: McpFlags): Promise<void> {
  if (flags.config) {
    process.stdout.write(`${JSON.stringify(configFor(flags), null, 2)}\n`)
    return
  }
  // The protocol is on stdout. The library for it is loaded by this command alone.
  const { serveAgent } = await import('../mcp/server.ts')
  await serveAgent({
    account: accountNamed(flags.account),
    readOnly: flags.readOnly ?? false,
    ...(flags.start ? await startOwn() : await lookFor(flags)),
  })
}

async function startOwn() {
  const { startSimulator } = await import('../../library/start-simulator.ts')
  const simulator = await startSimulator({ clock: 'virtual', onWarning: warn })
  const { url, controlUrl, controlToken } = simulator
  return { find: async () => ({ url, controlUrl, controlToken }), close: () => simulator.stop() }
}

/** It may come later. What is wrong with the options or the environment stays wrong. */
async function lookFor(flags: ControlTargetFlags) {
  const find = async () => {
    const { url, controlUrl, token } = await whereControlIs(flags).control()
    return { url: url ?? new URL(controlUrl).origin, controlUrl, controlToken: token }
  }
  await find().catch((cause: unknown) => {
    if (!(cause instanceof NoSimulatorError)) throw cause
    warn(`${cause.message}\nThe tools look for one again at each call.`)
  })
  return { find, close: async () => {} }
}

const warn = (message: string) => void process.stderr.write(`paysim mcp: ${message}\n`)

/** As the configuration files of most clients have it. The token stays with the environment. */
function configFor({ start, readOnly, account }: McpFlags) {
  const args = [
    'mcp',
    ...(start ? ['--start'] : []),
    ...(readOnly ? ['--read-only'] : []),
    ...(account === undefined ? [] : ['--account', account]),
  ]
  // By its path: a name may lead to what a stranger published.
  const [command, ...script] = PROGRAM
  return { mcpServers: { paysim: { command, args: [...script, ...args] } } }
}
