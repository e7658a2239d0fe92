import type { Command } from 'commander'
import type { ProviderRule } from '../../../../client/control-client.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { readList } from '../../../control/read-document.ts'
import { withControl } from '../../../control/session.ts'
import { rulesView } from '../views/rules.ts'

export const command = (): Command =>
  controlCommand('sim rules set', declare =>
    declare
      .description('Puts rules in the place of those in force. Wrong ones change nothing.')
      .argument('<file>', 'YAML or JSON: a list, or {rules: […]}; - reads stdin')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim rules set rules.yaml
  echo '[{match: {kind: payment}, outcome: {after: 5s, status: succeeded}}]' | paysim sim rules set -`,
      )
      .action((file: string, flags: ControlFlags) =>
        withControl(flags, async ({ account, show }) =>
          show(account.rules.replace((await readList(file, 'rules')) as ProviderRule[]), rulesView),
        ),
      ),
  )
