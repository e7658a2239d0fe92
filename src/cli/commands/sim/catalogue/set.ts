import type { Command } from 'commander'
import type { Catalogue } from '../../../../client/control-client.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { readDocument } from '../../../control/read-document.ts'
import { withControl } from '../../../control/session.ts'
import { catalogueView } from '../views/catalogue.ts'

export const command = (): Command =>
  controlCommand('sim catalogue set', declare =>
    declare
      .description(
        'Gives an account providers, methods and routes of its own. A wrong catalogue changes nothing.',
      )
      .argument('<file>', 'YAML or JSON: {providers, methods, routes}; - reads stdin')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim catalogue show -o yaml > catalogue.yaml
  paysim sim catalogue set catalogue.yaml --account shop`,
      )
      .action((file: string, flags: ControlFlags) =>
        withControl(flags, async ({ account, show }) =>
          // Whether it is one is for the server to say, of each place in it.
          show(account.catalogue.replace((await readDocument(file)) as Catalogue), catalogueView),
        ),
      ),
  )
