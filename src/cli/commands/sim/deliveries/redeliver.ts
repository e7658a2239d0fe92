import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { deliveryView } from '../views/delivery.ts'

export const command = (): Command =>
  controlCommand('sim deliveries redeliver', declare =>
    declare
      .description(
        'Makes one attempt at a delivery now. Its success ends the schedule, its failure leaves the rest of it.',
      )
      .argument('<id>', 'of the delivery')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim deliveries redeliver dl_123`,
      )
      .action((id: string, flags: ControlFlags) =>
        withControl(flags, ({ account, show }) => show(account.redeliver(id), deliveryView)),
      ),
  )
