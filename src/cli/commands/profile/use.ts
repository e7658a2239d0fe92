import type { Command } from 'commander'
import { newCommand } from '../../new-command.ts'
import { profileNamed } from '../../profiles/profiles.ts'

export const command = (): Command =>
  newCommand('profile use')
    .description(
      'Makes a profile the one that calls go by, where neither a flag nor the environment says otherwise.',
    )
    .argument('[name]', 'of the profile')
    .option('--none', 'go by none: then the simulator that runs here is called')
    .addHelpText(
      'after',
      `
Examples:
  paysim profile use shop-test
  paysim profile use --none`,
    )
    .action(use)

async function use(name: string | undefined, { none }: { readonly none?: true }): Promise<void> {
  const { changeProfiles } = await import('../../profiles/change-profiles.ts')
  const { UsageError } = await import('../../errors/cli-errors.ts')
  if ((name === undefined) !== (none === true)) throw new UsageError('a name is wanted, or --none')
  const { current } = await changeProfiles(book => {
    if (name !== undefined) profileNamed(name, book)
    return { ...book, current: name ?? null }
  })
  process.stderr.write(current === null ? 'no profile is in use\n' : `${current} is the profile in use\n`)
}
