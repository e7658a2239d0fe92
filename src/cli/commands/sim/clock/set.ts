import { Argument, type Command } from 'commander'
import type { ClockMode } from '../../../../client/control-client.ts'
import { type ClockFlags, clockFlags, clockSetting } from '../../../control/clock-flags.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { choice } from '../../../flag-values.ts'
import { clockView } from '../views/clock.ts'

const MODES = ['real', 'virtual'] as const

interface Flags extends ControlFlags, ClockFlags {}

export const command = (): Command =>
  controlCommand('sim clock set', declare =>
    clockFlags(
      declare
        .description("Says how an account's time passes: with the wall, or only when it is moved.")
        .addArgument(
          new Argument('<mode>', 'real follows the wall, virtual stands still')
            .choices(MODES)
            .argParser(choice(MODES)),
        ),
    )
      .addHelpText(
        'after',
        `
Examples:
  paysim sim clock set virtual
  paysim sim clock set virtual --now 2027-01-01T00:00:00Z --account shop
  paysim sim clock set real --rate 60x`,
      )
      .action((mode: ClockMode, flags: Flags) =>
        withControl(flags, ({ account, show }) =>
          show(account.clock.set(clockSetting(mode, flags)), clockView),
        ),
      ),
  )
