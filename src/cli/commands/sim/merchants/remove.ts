import type { Command } from 'commander'
import { confirm } from '../../../control/confirm.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { doneView } from '../../../output/view.ts'

export const command = (): Command =>
  controlCommand(
    'sim merchants remove',
    declare =>
      declare
        .description('Removes a merchant with all its accounts, records and keys.')
        .argument('<id>', 'of the merchant')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim merchants remove shop
  paysim sim merchants remove shop --yes`,
        )
        .action((id: string, flags: ControlFlags) =>
          withControl(flags, async ({ control, show, target }) => {
            await confirm(flags, `remove the merchant ${id} and all it has at ${target.controlUrl}`)
            await show(control.merchants.remove(id), doneView(`${id} removed`))
          }),
        ),
    { account: false, asks: true },
  )
