import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { doneView } from '../../../output/view.ts'

export const command = (): Command =>
  controlCommand('sim endpoints remove', declare =>
    declare
      .description('Sends no more events there. What was still to be delivered is given up.')
      .argument('<id>', 'of the endpoint, as we_…')
      .addHelpText('after', '\nExamples:\n  paysim sim endpoints remove we_123')
      .action((id: string, flags: ControlFlags) =>
        withControl(flags, ({ account, show }) =>
          show(account.webhookEndpoints.remove(id), doneView(`${id} removed`)),
        ),
      ),
  )
