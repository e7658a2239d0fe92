import type { ListBody } from '../../../client/control-caller.ts'
import type { ClockState, TimerRecord } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { plain } from '../../output/members.ts'
import { drawTable } from '../../output/table.ts'
import { showTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { inAccountTime, showInAccountTime } from './account-time.ts'
import { inlineYamlMembers } from './inline-yaml.ts'
import { memberColumn, timeColumn } from './tables.ts'

export const commands = {
  timers: () =>
    controlCommand('sim timers', command =>
      command
        .description('List the pending timers of an account, the next one first.')
        .addHelpText(
          'after',
          examples('paysim sim timers', "paysim sim timers --account shop -o json | jq '.data[0].due_at'"),
        )
        .action((flags: ControlFlags) =>
          withControl(flags, session => showInAccountTime(session, session.account.timers(), timersView)),
        ),
    ),
}

const timersView = (clock: ClockState | undefined): View<ListBody<TimerRecord>> => ({
  human: ({ data }, screen) =>
    drawTable(
      data,
      {
        columns: [
          {
            header: 'in',
            value: (row, at) => showTime((row as TimerRecord).due_at, at).note?.replace(/^in /, '') ?? '',
            align: 'right',
            paint: (shown, _, { paint }) => paint.cyan(shown),
          },
          timeColumn('due', 'due_at'),
          { header: 'what', value: row => commandText(row as TimerRecord), least: 14 },
          memberColumn('timer', 'id', { give: 1, whole: true }),
        ],
        empty: 'No pending timers.',
      },
      clock ? inAccountTime(clock, screen) : screen,
    ),
  rows: ({ data }) => data,
  csv: [
    'id',
    'due_at',
    'command.type',
    'command.payment',
    'command.payout',
    'command.trigger',
    'command.delivery',
  ],
})

function commandText({
  command: { type, payment, payout, delivery, trigger, ...more },
}: TimerRecord): string {
  const subject = plain(payment ?? payout ?? delivery)
  const name = trigger === undefined ? inKebabCase(type) : plain(trigger)
  return `${name} ${subject} ${inlineYamlMembers(more)}`.trim()
}

/** Writes `AttemptDelivery` as `attempt-delivery`, like the triggers. */
const inKebabCase = (type: string) => type.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
