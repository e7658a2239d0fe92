import { type ControlClient, ControlError } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { type ControlSession, withControl } from '../../control/session.ts'
import type { Column } from '../../output/columns.ts'
import { drawRecord, sections } from '../../output/record.ts'
import { drawTable } from '../../output/table.ts'
import { relativeTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { idColumn, memberColumn, timeColumn } from './tables.ts'

export const commands = {
  status: () =>
    controlCommand(
      'sim status',
      command =>
        command
          .description(
            'Show the addresses of a simulator, whether it is ready, and the clocks of its accounts.',
          )
          .addHelpText(
            'after',
            examples('paysim sim status', 'PAYSIM_DATA=/tmp/shop paysim sim status -o json'),
          )
          .action((flags: ControlFlags) =>
            withControl(flags, async session =>
              session.printer.show({ body: await statusOf(session) }, statusView),
            ),
          ),
      // The status is collected with several calls, so there are no headers of one answer.
      { account: false, headers: false },
    ),
}

interface SimStatus {
  readonly control_url: string
  /** The merchant API; null if only the control surface is known. */
  readonly url: string | null
  readonly found: string
  readonly health: string
  readonly ready: boolean
  readonly accounts: readonly AccountStatus[]
}

interface AccountStatus {
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

async function statusOf({ control, target }: ControlSession): Promise<SimStatus> {
  const { status: health } = await control.health()
  return {
    control_url: target.controlUrl,
    url: target.url ?? null,
    found: target.from.controlUrl,
    health,
    ready: await isReady(control),
    accounts: await accountsOf(control),
  }
}

async function isReady(control: ControlClient): Promise<boolean> {
  try {
    await control.ready()
    return true
  } catch (error) {
    if (error instanceof ControlError && error.status === 503) return false
    throw error
  }
}

async function accountsOf(control: ControlClient): Promise<AccountStatus[]> {
  const all: AccountStatus[] = []
  for (const { accounts } of await control.merchants.list()) {
    const clocks = await Promise.all(accounts.map(({ id }) => control.account(id).clock.get()))
    accounts.forEach(({ id, environment, public_key }, at) => {
      const clock = clocks[at]
      if (clock) all.push({ id, environment, public_key, clock })
    })
  }
  return all
}

const statusView: View<SimStatus> = {
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
          { label: 'found by', value: found },
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
  { header: 'next timer', value: row => nextTimer(row as AccountStatus), give: 1 },
  memberColumn('timers', 'clock.pending_timers', { align: 'right', give: 2 }),
  memberColumn('public key', 'public_key', { give: 3, least: 16 }),
]

/** Relative to the time of the account. */
function nextTimer({ clock }: AccountStatus): string {
  if (clock.next_due === null) return 'none'
  return relativeTime(Date.parse(clock.next_due), Date.parse(clock.now))
}
