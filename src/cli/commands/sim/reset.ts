import type { Command } from 'commander'
import { confirm } from '../../control/confirm.ts'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { resetView } from './views/archive.ts'

export const command = (): Command =>
  controlCommand(
    'sim reset',
    declare =>
      declare
        .description('Empties an account: records, requests and timers are gone, keys and set-up stay.')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim reset --account shop
  paysim sim reset --yes`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, async ({ account, show, target }) => {
            await confirm(flags, `empty ${account.id} at ${target.controlUrl}`)
            await show(account.reset(), resetView)
          }),
        ),
    { asks: true },
  )
