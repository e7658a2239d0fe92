import { Argument } from 'commander'
import type { AdvanceGoal, AdvanceResult, ClockMode, ClockState } from '../../../client/control-client.ts'
import {
  type ClockFlags,
  type ControlFlags,
  clockFlags,
  clockSetting,
  controlCommand,
  examples,
} from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { choice } from '../../flag-values.ts'
import { drawRecord } from '../../output/record.ts'
import type { Screen } from '../../output/screen.ts'
import { showTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { inAccountTime } from './account-time.ts'

const MODES = ['real', 'virtual'] as const

interface AdvanceFlags extends ControlFlags {
  readonly to?: string
  readonly untilIdle?: true
  readonly max?: string
}

interface SetFlags extends ControlFlags, ClockFlags {}

export const commands = {
  show: () =>
    controlCommand('sim clock show', command =>
      command
        .description("Show an account's time, and when the next timer is due.")
        .addHelpText(
          'after',
          examples('paysim sim clock', 'paysim sim clock show --account shop.test -o json'),
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.clock.get(), clockView)),
        ),
    ),

  advance: () =>
    controlCommand('sim clock advance', command =>
      command
        .description(
          'Advance a virtual clock. Everything due by then has happened on return, including webhooks and their retries.',
        )
        .argument('[duration]', 'how far, such as 250ms, 5s, 1h30m or 7d')
        .option('--to <time>', 'advance to this time, such as 2027-01-01T00:00:00Z')
        .option('--until-idle', 'advance from timer to timer until none is left')
        .option('--max <duration>', 'with --until-idle: advance no further than this')
        .addHelpText(
          'after',
          examples(
            'paysim sim clock advance 5s',
            'paysim sim clock advance --to 2027-01-01T00:00:00Z --account shop',
            'paysim sim clock advance --until-idle --max 7d',
          ),
        )
        .action((duration: string | undefined, flags: AdvanceFlags) =>
          withControl(flags, ({ account, show }) =>
            show(account.clock.advance(goalOf(duration, flags)), advanceView),
          ),
        ),
    ),

  set: () =>
    controlCommand('sim clock set', command =>
      clockFlags(
        command
          .description('Make the clock of an account follow wall time, or stand still until it is advanced.')
          .addArgument(
            new Argument('<mode>', 'real follows wall time, virtual stands still')
              .choices(MODES)
              .argParser(choice(MODES)),
          ),
      )
        .addHelpText(
          'after',
          examples(
            'paysim sim clock set virtual',
            'paysim sim clock set virtual --now 2027-01-01T00:00:00Z --account shop',
            'paysim sim clock set real --rate 60x',
          ),
        )
        .action((mode: ClockMode, flags: SetFlags) =>
          withControl(flags, ({ account, show }) =>
            show(account.clock.set(clockSetting(mode, flags)), clockView),
          ),
        ),
    ),
}

function goalOf(duration: string | undefined, { to, untilIdle, max }: AdvanceFlags): AdvanceGoal {
  if ([duration, to, untilIdle].filter(goal => goal !== undefined).length !== 1)
    throw new UsageError('no goal: give a duration, --to or --until-idle')
  if (max !== undefined && !untilIdle) throw new UsageError('--max works only with --until-idle')
  if (duration !== undefined) return { by: duration }
  if (to !== undefined) return { to }
  return { until: 'idle', ...(max === undefined ? {} : { max }) }
}

const clockView: View<ClockState> = {
  human: (clock, screen) =>
    drawRecord(
      [
        { label: 'clock', value: clock.mode, paint: screen.paint.bold },
        nowField(clock.now, screen),
        { label: 'rate', value: clock.mode === 'real' && clock.rate !== 1 ? `${clock.rate}x` : undefined },
        clock.next_due === null
          ? { label: 'next timer', value: 'none' }
          : { label: 'next timer', ...showTime(clock.next_due, inAccountTime(clock, screen)) },
        { label: 'timers', value: clock.pending_timers === 0 ? undefined : String(clock.pending_timers) },
      ],
      screen,
    ),
}

const advanceView: View<AdvanceResult> = {
  human: ({ now, fired, idle, timed_out = [] }, screen) =>
    drawRecord(
      [
        nowField(now, screen),
        { label: 'fired', value: fired === 1 ? '1 timer' : `${fired} timers` },
        {
          label: 'idle',
          value: idle ? 'yes: there are no timers' : 'no: `paysim sim timers` lists the pending timers',
        },
        {
          label: 'timed out',
          value: timed_out.length === 0 ? undefined : `deliveries ${timed_out.join(', ')}`,
        },
      ],
      screen,
    ),
}

/** The account's time, and its distance from wall time. */
const nowField = (now: string, screen: Screen) => {
  const { value, note } = showTime(now, screen)
  return { label: 'now', value, note: distanceFromWallTime(note) }
}

const distanceFromWallTime = (note = 'now') =>
  note === 'now'
    ? undefined
    : note.endsWith(' ago')
      ? note.replace(/ ago$/, ' behind wall time')
      : note.replace(/^in (.*)/, '$1 ahead of wall time')
