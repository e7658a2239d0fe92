import { archiveUpload, writeArchive } from '../../control/archive.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { commandOf } from '../../control/row.ts'
import { withControl } from '../../control/session.ts'
import { visible } from '../../output/text.ts'
import type { View } from '../../output/view.ts'

/** A whole account: exported, imported, or emptied. */

interface ExportFlags extends ControlFlags {
  readonly file?: string
}

export function exportAccount() {
  return controlCommand(
    'sim export',
    command =>
      command
        .description('Export an account as one JSON document: its journal and the images it refers to.')
        .option('-f, --file <file>', 'write to this file (default: stdout)')
        .addHelpText(
          'after',
          `
The document contains webhook secrets and the names of customers.
${examples('paysim sim export -f shop.json --account shop', 'paysim sim export | gzip > default.json.gz')}`,
        )
        .action((flags: ExportFlags) =>
          withControl(flags, async ({ account, signal }) =>
            writeArchive(await account.exportStream(), flags.file, signal),
          ),
        ),
    { records: false },
  )
}

export function importAccount() {
  return controlCommand('sim import', command =>
    command
      .description('Replace everything in an account with an exported one. Its keys stay.')
      .argument('<file>', 'file written by `paysim sim export`; - means stdin')
      .addHelpText(
        'after',
        examples(
          'paysim sim import shop.json --account shop',
          'gunzip < default.json.gz | paysim sim import -',
        ),
      )
      .action((file: string, flags: ControlFlags) =>
        withControl(flags, async ({ account, show }) =>
          show(account.importUpload(await archiveUpload(file)), importedView),
        ),
      ),
  )
}

const importedView: View<{ readonly account: string; readonly entries: number }> = {
  human: ({ account, entries }, { paint }) =>
    `${paint.bold(visible(account))} imported: ${entries} journal ${entries === 1 ? 'entry' : 'entries'}`,
}

export const reset = commandOf('sim reset', 'POST /accounts/:account/reset', {
  description: 'Empty an account: remove its records, requests and timers. Keys and settings stay.',
  examples: ['paysim sim reset --account shop', 'paysim sim reset --yes'],
  confirm: (_, { account, target }) => `empty ${account.id} at ${target.controlUrl}`,
  show: { view: { human: ({ account }, { paint }) => `${paint.bold(visible(account))} is empty` } },
})
