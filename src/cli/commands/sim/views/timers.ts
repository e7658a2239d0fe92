import type { ClockState, TimerRecord } from '../../../../client/control-client.ts'
import { plain } from '../../../output/members.ts'
import { drawTable } from '../../../output/table.ts'
import { showTime } from '../../../output/time.ts'
import type { View } from '../../../output/view.ts'
import { inTimeOf } from './clock.ts'
import { memberColumn, timeColumn } from './columns.ts'
import { inlineMembers } from './inline-members.ts'
import type { Listed } from './list-view.ts'

/** What is to come, and when that is from where the account's clock stands. Without its clock, only for programs. */
export const timersView = (clock: ClockState | undefined): View<Listed<TimerRecord>> => ({
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
          { header: 'what', value: row => deed(row as TimerRecord), least: 14 },
          memberColumn('timer', 'id', { give: 1, whole: true }),
        ],
        empty: 'No timers: nothing is left to happen.',
      },
      clock ? inTimeOf(clock, screen) : screen,
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

function deed({ command: { type, payment, payout, delivery, trigger, ...more } }: TimerRecord): string {
  const subject = plain(payment ?? payout ?? delivery)
  const words = trigger === undefined ? spelled(type) : plain(trigger)
  return `${words} ${subject} ${inlineMembers(more)}`.trim()
}

/** `AttemptDelivery` is `attempt-delivery`, as triggers are written. */
const spelled = (type: string) => type.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
