import type { ProviderCallRecord } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { idColumn, listView, memberColumn, timeColumn } from './tables.ts'

export const commands = {
  'provider-calls': () =>
    controlCommand(
      'sim provider-calls',
      command =>
        command
          .description('List the calls that the gateway made to the provider: start, cancel, submit_receipt.')
          .addHelpText(
            'after',
            examples('paysim sim provider-calls', 'paysim sim provider-calls --query "data[].call"'),
          )
          .action((flags: ControlFlags) =>
            withControl(flags, ({ account, show }) => show(account.providerCalls(), providerCallsView)),
          ),
      { list: true },
    ),
}

const providerCallsView = listView<ProviderCallRecord>('No provider calls yet.', [
  timeColumn('at', 'at'),
  memberColumn('call', 'call', { paint: (shown, _, { paint }) => paint.cyan(shown) }),
  idColumn('payment', 'payment'),
  memberColumn('route', 'route', { give: 1 }),
  memberColumn('image', 'digest', { give: 2, least: 12 }),
])
