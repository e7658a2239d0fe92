import type { Command } from 'commander'
import type { FaultRule } from '../../../../client/control-client.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { readList } from '../../../control/read-document.ts'
import { withControl } from '../../../control/session.ts'
import { faultsView } from '../views/rules.ts'

export const command = (): Command =>
  controlCommand('sim faults set', declare =>
    declare
      .description('Says what goes wrong on the wire from now on. Wrong faults change nothing.')
      .argument('<file>', 'YAML or JSON: a list, or {faults: […]}; - reads stdin')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim faults set faults.yaml
  echo '[{on: POST /payment_intents, nth: 2, type: reset, when: after_commit}]' | paysim sim faults set -`,
      )
      .action((file: string, flags: ControlFlags) =>
        withControl(flags, async ({ account, show }) =>
          show(account.faults.replace((await readList(file, 'faults')) as FaultRule[]), faultsView),
        ),
      ),
  )
