import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { catalogueView } from '../views/catalogue.ts'

export const command = (): Command =>
  controlCommand('sim catalogue show', declare =>
    declare
      .description('Shows providers and their health, methods, and the routes between them.')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim catalogue
  paysim sim catalogue show -o json > catalogue.json`,
      )
      .action((flags: ControlFlags) =>
        withControl(flags, ({ account, show }) => show(account.catalogue.get(), catalogueView)),
      ),
  )
