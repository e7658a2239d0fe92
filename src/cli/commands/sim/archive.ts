import { RESET_KEEPS } from '../../../contract/control/requests.ts'
import { archiveUpload, writeArchive } from '../../control/archive.ts'
import { type ControlFlags, confirm, controlCommand, examples, withControl } from '../../control/session.ts'
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
The document contains the names of customers, but no keys. Webhook secrets in it are sealed: only the account that they
come from can open them.
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

interface ResetFlags extends ControlFlags {
  readonly all?: true
}

export function reset() {
  return controlCommand(
    'sim reset',
    command =>
      command
        .description(
          'Empty an account: remove its records, requests and timers. Its keys, endpoints, rules, catalogue and faults stay, and its time does not go back.',
        )
        .option('--all', 'also set endpoints, rules, catalogue and faults as at its creation')
        .addHelpText('after', examples('paysim sim reset --account shop', 'paysim sim reset --all --yes'))
        .action((flags: ResetFlags) =>
          withControl(flags, async ({ account, target, show }) => {
            const more = flags.all ? ', with its endpoints, rules, catalogue and faults' : ''
            await confirm(flags, `empty ${account.id} at ${target.controlUrl}${more}`)
            await show(account.reset(flags.all ? {} : { keep: [...RESET_KEEPS] }), emptyView)
          }),
        ),
    { asks: true },
  )
}

const emptyView: View<{ readonly account: string }> = {
  human: ({ account }, { paint }) => `${paint.bold(visible(account))} is empty`,
}
