import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'

export const command = (): Command =>
  controlCommand(
    'sim metrics',
    declare =>
      declare
        .description('Prints what a simulator counts, in the text format of Prometheus.')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim metrics
  paysim sim metrics | grep paysim_requests_total`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, async ({ control }) => {
            process.stdout.write(await control.metrics())
          }),
        ),
    { account: false, records: false },
  )
