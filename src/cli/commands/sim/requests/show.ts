import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { requestView } from '../views/request.ts'

export const command = (): Command =>
  controlCommand('sim requests show', declare =>
    declare
      .description('Shows one of the last requests with headers and bodies, without secrets.')
      .argument('<id>', 'as the Request-Id of its answer, req_…')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim requests show req_123
  paysim sim requests show req_123 --query response.body`,
      )
      .action((id: string, flags: ControlFlags) =>
        withControl(flags, ({ account, show }) => show(account.request(id), requestView)),
      ),
  )
