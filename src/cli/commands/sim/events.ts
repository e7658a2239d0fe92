import type { EventRecord } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { listView, memberColumn, statusColumn, timeColumn } from './tables.ts'

export const commands = {
  events: () =>
    controlCommand(
      'sim events',
      command =>
        command
          .description('List the events of an account, oldest first.')
          .addHelpText('after', examples('paysim sim events', 'paysim sim events -o jsonl > events.jsonl'))
          .action((flags: ControlFlags) =>
            withControl(flags, ({ account, show }) => show(account.events(), eventsView)),
          ),
      { list: true },
    ),
}

const eventsView = listView<EventRecord>(
  'No events yet.',
  [
    timeColumn('at', 'timestamp'),
    memberColumn('type', 'type'),
    memberColumn('about', 'data.id', { paint: (shown, _, { paint }) => paint.bold(shown) }),
    statusColumn('status', 'data.status'),
    memberColumn('reference', 'data.merchant_reference', { give: 2 }),
    memberColumn('event', 'id', { give: 1, whole: true }),
  ],
  ['id', 'type', 'timestamp', 'environment', 'data.id', 'data.status', 'data.merchant_reference'],
)
