import type { Command } from 'commander'
import { newCommand } from '../../new-command.ts'
import { type OutputFlags, outputFlags } from '../../output/flags.ts'
import { openPrinter } from '../../output/printer.ts'
import { readProfiles } from '../../profiles/profiles.ts'
import { profileList, profileListView } from '../../profiles/view.ts'

export const command = (): Command =>
  outputFlags(
    newCommand('profile list').description('Lists the profiles that are kept. A star marks the one in use.'),
  )
    .addHelpText(
      'after',
      `
Examples:
  paysim profile list
  paysim profile list -o json --query profiles[].name`,
    )
    .action(async (flags: OutputFlags) =>
      openPrinter(flags).show({ body: profileList(await readProfiles()) }, profileListView),
    )
