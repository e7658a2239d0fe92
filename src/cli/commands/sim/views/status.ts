import type { Column } from '../../../output/columns.ts'
import { drawRecord, sections } from '../../../output/record.ts'
import { drawTable } from '../../../output/table.ts'
import { relativeTime } from '../../../output/time.ts'
import type { View } from '../../../output/view.ts'
import { idColumn, memberColumn, timeColumn } from './columns.ts'

export interface SimStatus {
  readonly control_url: string
  /** Where the merchant API is; null where only the control surface is known. */
  readonly url: string | null
  readonly found: string
  readonly health: string
  readonly ready: boolean
  readonly accounts: readonly AccountStatus[]
}

export interface AccountStatus {
  readonly id: string
  readonly environment: string
  readonly public_key: string | null
  readonly clock: {
    readonly mode: string
    readonly now: string
    readonly next_due: string | null
    readonly pending_timers: number
  }
}

export const statusView: View<SimStatus> = {
  human: ({ control_url, url, found, ready, accounts }, screen) =>
    sections(
      drawRecord(
        [
          {
            label: 'simulator',
            value: ready ? 'ready' : 'loading its accounts',
            paint: ready ? screen.paint.green : screen.paint.yellow,
          },
          { label: 'merchant API', value: url, whole: true },
          { label: 'control', value: control_url, whole: true },
          { label: 'found', value: found },
        ],
        screen,
      ),
      drawTable(accounts, { columns: COLUMNS, empty: 'No accounts.' }, screen),
    ),
  rows: ({ accounts }) => accounts,
}

const COLUMNS: readonly Column[] = [
  idColumn('account'),
  memberColumn('clock', 'clock.mode', {
    paint: (shown, _, { paint }) => (shown === 'virtual' ? paint.magenta(shown) : shown),
  }),
  timeColumn('now', 'clock.now'),
  { header: 'next timer', value: row => nextOf(row as AccountStatus), give: 1 },
  memberColumn('timers', 'clock.pending_timers', { align: 'right', give: 2 }),
  memberColumn('public key', 'public_key', { give: 3, least: 16 }),
]

/** From the account's own present. */
function nextOf({ clock }: AccountStatus): string {
  if (clock.next_due === null) return 'none'
  return relativeTime(Date.parse(clock.next_due), Date.parse(clock.now))
}
