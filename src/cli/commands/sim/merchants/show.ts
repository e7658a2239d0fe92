import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { merchantView } from '../views/merchants.ts'

interface Flags extends ControlFlags {
  readonly reveal?: true
}

export const command = (): Command =>
  controlCommand(
    'sim merchants show',
    declare =>
      declare
        .description('Shows a merchant and the keys of both its accounts.')
        .argument('<id>', 'of the merchant')
        .option('--reveal', 'show secret keys')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim merchants show shop
  paysim sim merchants show shop --reveal`,
        )
        .action((id: string, flags: Flags) =>
          withControl(flags, ({ control, show }) =>
            show(control.merchants.get(id), merchantView(flags.reveal ?? false)),
          ),
        ),
    { account: false },
  )
