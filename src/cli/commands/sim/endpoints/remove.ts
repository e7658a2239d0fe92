import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { nothingView } from '../views/nothing.ts'

export const command = (): Command =>
  controlCommand('sim endpoints remove', declare =>
    declare
      .description('Sends no more events there. What was still to be delivered is given up.')
      .argument('<id>', 'of the endpoint, as we_…')
      .addHelpText('after', '\nExamples:\n  paysim sim endpoints remove we_123')
      .action((id: string, flags: ControlFlags) =>
        withControl(flags, ({ account, show }) =>
          show(account.webhookEndpoints.remove(id), nothingView(`${id} removed`)),
        ),
      ),
  )
