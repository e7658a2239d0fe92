import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { providerCallsView } from './views/records.ts'

export const command = (): Command =>
  controlCommand(
    'sim provider-calls',
    declare =>
      declare
        .description('Lists what the gateway asked of the provider: start, cancel, submit_receipt.')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim provider-calls
  paysim sim provider-calls --query "data[].call"`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.providerCalls(), providerCallsView)),
        ),
    { list: true },
  )
