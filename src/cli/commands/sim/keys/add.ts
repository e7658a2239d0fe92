import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { keyView } from '../views/keys.ts'

interface Flags extends ControlFlags {
  readonly reveal?: true
}

export const command = (): Command =>
  controlCommand('sim keys add', declare =>
    declare
      .description('Gives an account another key pair. The ones it has go on working.')
      .option('--reveal', 'show secret keys')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim keys add --account shop --reveal
  paysim sim keys add -o json`,
      )
      .action((flags: Flags) =>
        withControl(flags, ({ account, show }) => show(account.keys.add(), keyView(flags.reveal ?? false))),
      ),
  )
