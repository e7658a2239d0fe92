import type { Command } from 'commander'
import type { ProviderRule } from '../../../../client/control-client.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { readList } from '../../../control/read-document.ts'
import { withControl } from '../../../control/session.ts'
import { rulesView } from '../views/rules.ts'

export const command = (): Command =>
  controlCommand('sim rules add', declare =>
    declare
      .description('Puts rules in front of those in force, which keep their counts.')
      .argument('<file>', 'YAML or JSON: a list, or {rules: […]}; - reads stdin')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim rules add declines.yaml
  echo '[{times: 1, match: {kind: payment}, outcome: {status: failed}}]' | paysim sim rules add -`,
      )
      .action((file: string, flags: ControlFlags) =>
        withControl(flags, async ({ account, show }) =>
          show(account.rules.prepend((await readList(file, 'rules')) as ProviderRule[]), rulesView),
        ),
      ),
  )
