import type { Command } from 'commander'
import { UsageError } from '../../errors/cli-errors.ts'
import { newCommand } from '../../new-command.ts'
import { profileNamed, readProfiles } from '../../profiles/profiles.ts'
import { canAsk } from '../../prompts/confirm.ts'

interface RemoveFlags {
  readonly yes?: true
  readonly input: boolean
}

export const command = (): Command =>
  newCommand('profile remove')
    .description('Forgets a profile, and its keys with it.')
    .argument('<name>', 'of the profile')
    .option('-y, --yes', 'do not ask')
    .option('--no-input', 'never ask: then --yes is needed')
    .addHelpText(
      'after',
      `
Examples:
  paysim profile remove shop-test
  paysim profile remove shop-test --yes`,
    )
    .action(remove)

async function remove(name: string, flags: RemoveFlags): Promise<void> {
  profileNamed(name, await readProfiles())
  await confirm(name, flags)
  const { changeProfiles } = await import('../../profiles/change-profiles.ts')
  let wasCurrent = false
  await changeProfiles(({ current, profiles: { [name]: _, ...profiles } }) => {
    wasCurrent = current === name
    return { current: wasCurrent ? null : current, profiles }
  })
  process.stderr.write(`${name} is removed${wasCurrent ? ', and no profile is in use' : ''}\n`)
}

async function confirm(name: string, flags: RemoveFlags): Promise<void> {
  if (flags.yes) return
  if (!canAsk(flags))
    throw new UsageError(`this would remove the profile ${name} and its keys: --yes confirms it`)
  const { ask } = await import('../../prompts/ask.ts')
  if (!(await ask.confirm({ message: `Remove the profile ${name}, and its keys?`, default: false })))
    throw new UsageError('not confirmed: nothing was removed')
}
