import type { Command } from 'commander'
import type { AdvanceGoal } from '../../../../client/control-client.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { UsageError } from '../../../errors/cli-errors.ts'
import { arrivalView } from '../views/clock.ts'

interface Flags extends ControlFlags {
  readonly to?: string
  readonly untilIdle?: true
  readonly max?: string
}

export const command = (): Command =>
  controlCommand('sim clock advance', declare =>
    declare
      .description(
        'Moves a virtual clock. When it returns, all that was due has happened, webhooks and their retries too.',
      )
      .argument('[duration]', 'how far, as 250ms, 5s, 1h30m, 7d')
      .option('--to <time>', 'to that time, as 2027-01-01T00:00:00Z')
      .option('--until-idle', 'from timer to timer, until none is left')
      .option('--max <duration>', 'with --until-idle: no further than that')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim clock advance 5s
  paysim sim clock advance --to 2027-01-01T00:00:00Z --account shop
  paysim sim clock advance --until-idle --max 7d`,
      )
      .action((duration: string | undefined, flags: Flags) =>
        withControl(flags, ({ account, show }) =>
          show(account.clock.advance(goalOf(duration, flags)), arrivalView),
        ),
      ),
  )

function goalOf(duration: string | undefined, { to, untilIdle, max }: Flags): AdvanceGoal {
  if ([duration, to, untilIdle].filter(goal => goal !== undefined).length !== 1)
    throw new UsageError('how far? Give one of: a duration, --to, --until-idle')
  if (max !== undefined && !untilIdle) throw new UsageError('--max bounds --until-idle, and nothing else')
  if (duration !== undefined) return { by: duration }
  if (to !== undefined) return { to }
  return { until: 'idle', ...(max === undefined ? {} : { max }) }
}
