import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { documentView } from './views/server.ts'

export const command = (): Command =>
  controlCommand(
    'sim openapi',
    declare =>
      declare
        .description(
          'Prints the merchant API as OpenAPI 3.1, by the decisions in force at a running simulator.',
        )
        .addHelpText(
          'after',
          `
Examples:
  paysim sim openapi > merchant-api.json`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ control, show }) => show(control.openapi(), documentView)),
        ),
    { account: false },
  )
