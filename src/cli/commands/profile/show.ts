import type { Command } from 'commander'
import { newCommand } from '../../new-command.ts'
import { type OutputFlags, outputFlags } from '../../output/flags.ts'
import { openPrinter } from '../../output/printer.ts'
import { profileNamed, readProfiles } from '../../profiles/profiles.ts'
import { profileView, shownProfile } from '../../profiles/view.ts'

interface ShowFlags extends OutputFlags {
  readonly reveal?: true
}

export const command = (): Command =>
  outputFlags(
    newCommand('profile show')
      .description('Shows a profile, without its secret.')
      .argument('<name>', 'of the profile')
      .option('--reveal', 'show the secret key too'),
  )
    .addHelpText(
      'after',
      `
Examples:
  paysim profile show shop-test
  paysim profile show shop-test --query base_url
  paysim profile show shop-test --reveal -o json`,
    )
    .action(show)

async function show(name: string, flags: ShowFlags): Promise<void> {
  const book = await readProfiles()
  const profile = profileNamed(name, book)
  const body = shownProfile(name, profile, { current: book.current, reveal: flags.reveal === true })
  await openPrinter(flags).show({ body }, profileView)
}
