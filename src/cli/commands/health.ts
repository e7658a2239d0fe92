import type { Command } from 'commander'
import { ControlClient } from '../../client/control-client.ts'
import { newCommand } from '../command-table.ts'
import { messageOf } from '../errors/cli-errors.ts'
import { whereIs } from '../where/where.ts'

/** A check that waits longer has its answer. */
const LONGEST_MS = 5000

/** The call needs no token, so none goes to an address that somebody gives. */
const NO_TOKEN = 'none'

export const command = (): Command =>
  newCommand('health')
    .description(
      'Exit with 0 if a simulator is ready for calls, and with 1 if it is not, as checks of containers need it.',
    )
    .argument(
      '[url]',
      'address of the simulator, such as http://127.0.0.1:7297 (default: the one that `paysim sim` calls)',
    )
    .addHelpText('after', '\nExamples:\n  paysim health\n  paysim health http://127.0.0.1:7297')
    .action(async (url: string | undefined) => {
      try {
        const { controlUrl } = await whereIs({ controlUrl: url }).control(NO_TOKEN)
        const signal = AbortSignal.timeout(LONGEST_MS)
        const { status } = await new ControlClient({ controlUrl, token: NO_TOKEN }, { signal }).ready()
        process.stdout.write(`${status}\n`)
      } catch (cause) {
        // Docker has another meaning for 2, with which a wrong address would end.
        process.exitCode = 1
        process.stderr.write(`paysim health: ${messageOf(cause)}\n`)
      }
    })
