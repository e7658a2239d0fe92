import { Argument, type Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { choice } from '../../../flag-values.ts'
import { providerView } from '../views/catalogue.ts'

const HEALTH = ['up', 'down'] as const

export const command = (): Command =>
  controlCommand('sim catalogue health', declare =>
    declare
      .description('Takes a provider down, or up again. New payments go to the next healthy route.')
      .argument('<provider>', 'as `paysim sim catalogue` lists it')
      .addArgument(
        new Argument('<health>', 'what it is from now on').choices(HEALTH).argParser(choice(HEALTH)),
      )
      .addHelpText(
        'after',
        `
Examples:
  paysim sim catalogue health siam down
  paysim sim catalogue health siam up`,
      )
      .action((provider: string, health: (typeof HEALTH)[number], flags: ControlFlags) =>
        withControl(flags, ({ account, show }) =>
          show(account.catalogue.setHealth(provider, health === 'up'), providerView),
        ),
      ),
  )
