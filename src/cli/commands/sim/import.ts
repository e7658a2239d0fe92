import type { Command } from 'commander'
import { archiveUpload } from '../../control/archive-upload.ts'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { importedView } from './views/archive.ts'

export const command = (): Command =>
  controlCommand('sim import', declare =>
    declare
      .description('Puts an exported account in the place of everything this one has. Its keys stay.')
      .argument('<file>', 'as `paysim sim export` wrote it; - reads it from stdin')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim import shop.json --account shop
  gunzip < default.json.gz | paysim sim import -`,
      )
      .action((file: string, flags: ControlFlags) =>
        withControl(flags, async ({ account, show }) =>
          show(account.importUpload(await archiveUpload(file)), importedView),
        ),
      ),
  )
