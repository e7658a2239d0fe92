import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { writeArchive } from '../../control/write-archive.ts'

interface Flags extends ControlFlags {
  readonly file?: string
}

export const command = (): Command =>
  controlCommand(
    'sim export',
    declare =>
      declare
        .description('Writes an account as one JSON document: its journal, and the images it names.')
        .option('-f, --file <file>', 'write it there; stdout otherwise')
        .addHelpText(
          'after',
          `
It holds webhook secrets and the names of customers.

Examples:
  paysim sim export -f shop.json --account shop
  paysim sim export | gzip > default.json.gz`,
        )
        .action((flags: Flags) =>
          withControl(flags, async ({ account, signal }) =>
            writeArchive(await account.exportStream(), flags.file, signal),
          ),
        ),
    { records: false },
  )
