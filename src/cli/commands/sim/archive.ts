import { RESET_KEEPS } from '../../../contract/control/requests.ts'
import { archiveUpload, writeArchive } from '../../control/archive.ts'
import { ownCommand } from '../../control/row.ts'
import { type ControlFlags, confirm } from '../../control/session.ts'
import { visible } from '../../output/text.ts'
import type { View } from '../../output/view.ts'

/** A whole account: exported, imported, or emptied. */

export const exportAccount = ownCommand('sim export', {
  description: 'Export an account as one JSON document: its journal and the images it refers to.',
  flags: { '-f, --file <file>': 'write to this file (default: stdout)' },
  more: `
The document contains the names of customers, but no keys. Webhook secrets in it are sealed: only the account that they
come from can open them.
`,
  examples: ['paysim sim export -f shop.json --account shop', 'paysim sim export | gzip > default.json.gz'],
  records: false,
  run: async ({ account, signal }, { file }: { readonly file?: string }) =>
    writeArchive(await account.exportStream(), file, signal),
})

const importedView: View<{ readonly account: string; readonly entries: number }> = {
  human: ({ account, entries }, { paint }) =>
    `${paint.bold(visible(account))} imported: ${entries} journal ${entries === 1 ? 'entry' : 'entries'}`,
}

const emptyView: View<{ readonly account: string }> = {
  human: ({ account }, { paint }) => `${paint.bold(visible(account))} is empty`,
}

export const importAccount = ownCommand('sim import', {
  description: 'Replace everything in an account with an exported one. Its keys stay.',
  arguments: { '<file>': 'file written by `paysim sim export`; - means stdin' },
  examples: ['paysim sim import shop.json --account shop', 'gunzip < default.json.gz | paysim sim import -'],
  run: async ({ account, show }, { file }: { readonly file: string }) =>
    show(account.importUpload(await archiveUpload(file)), importedView),
})

interface ResetFlags extends ControlFlags {
  readonly all?: true
}

export const reset = ownCommand('sim reset', {
  description:
    'Empty an account: remove its records, requests and timers. Its keys, endpoints, rules, catalogue and faults stay, and its time does not go back.',
  flags: { '--all': 'also set endpoints, rules, catalogue and faults as at its creation' },
  examples: ['paysim sim reset --account shop', 'paysim sim reset --all --yes'],
  asks: true,
  async run({ account, target, show }, flags: ResetFlags) {
    const more = flags.all ? ', with its endpoints, rules, catalogue and faults' : ''
    await confirm(flags, `empty ${account.id} at ${target.controlUrl}${more}`)
    await show(account.reset(flags.all ? {} : { keep: [...RESET_KEEPS] }), emptyView)
  },
})
