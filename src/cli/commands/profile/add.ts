import type { Command } from 'commander'
import type { Keys } from '../../../client/credentials.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { newCommand } from '../../new-command.ts'
import { type OutputFlags, outputFlags } from '../../output/flags.ts'
import { openPrinter } from '../../output/printer.ts'
import { checkBaseUrl, checkName, nameTaken, newProfile } from '../../profiles/new-profile.ts'
import { readProfiles } from '../../profiles/profiles.ts'
import { profileView, shownProfile } from '../../profiles/view.ts'
import { canAsk } from '../../prompts/confirm.ts'
import { readKeyFile } from '../../target/read-credentials.ts'

interface AddFlags extends OutputFlags {
  readonly baseUrl?: string
  readonly keyFile?: string
  readonly contract?: string
  readonly caFile?: string
  readonly replace?: true
  readonly use?: true
  readonly input: boolean
}

export const command = (): Command =>
  outputFlags(
    newCommand('profile add')
      .description('Keeps an address and its keys under a name. The first profile is the one in use.')
      .argument('<name>', 'for the profile, as shop-test')
      .option('--base-url <url>', 'where the API is')
      .option('--key-file <file>', 'the keys, as PUBLIC:SECRET; - reads them from stdin')
      .option('--contract <file>', 'how this server decided what the interface leaves open')
      .option('--ca-file <file>', 'trust these authorities, as PEM')
      .option('--use', 'make it the profile in use')
      .option('--replace', 'put it in the place of the one that has this name')
      .option('--no-input', 'never ask: what is missing is a fault'),
  )
    .addHelpText(
      'after',
      `
What is not given is asked for, the keys unseen. They are never given as words of the command, which other users of
the machine could read.

Examples:
  paysim profile add shop-test --base-url https://api.example/v1
  paysim profile add shop-test --base-url https://api.example/v1 --key-file keys.txt --use
  pass show shop/test | paysim profile add shop-test --base-url https://api.example/v1 --key-file -`,
    )
    .action(add)

async function add(name: string, flags: AddFlags): Promise<void> {
  const wrong = checkName(name)
  if (wrong !== undefined) throw new UsageError(wrong)
  // Told before anything is asked; looked at again when it is kept.
  if (!flags.replace && Object.hasOwn((await readProfiles()).profiles, name))
    throw new UsageError(nameTaken(name))
  const pieces = await missingPieces(flags)
  const profile = await newProfile({ ...flags, ...pieces })
  const { keepProfile } = await import('../../profiles/change-profiles.ts')
  const current = await keepProfile(name, profile, {
    use: flags.use === true,
    replace: flags.replace === true,
  })
  await openPrinter(flags).show({ body: shownProfile(name, profile, { current }) }, profileView)
}

/** The flags' pieces, and those that are missing as somebody types them. */
async function missingPieces(flags: AddFlags): Promise<{ baseUrl: string; keys: Keys }> {
  const { baseUrl, keyFile } = flags
  const missing = [
    ...(baseUrl === undefined ? ['--base-url'] : []),
    ...(keyFile === undefined ? ['--key-file'] : []),
  ]
  if (missing.length > 0 && !canAsk(flags)) throw new UsageError(`${missing.join(' and ')} must be given`)
  if (baseUrl !== undefined) checkBaseUrl(baseUrl)
  const asking = await import('../../profiles/ask-target.ts')
  return {
    baseUrl: baseUrl ?? (await asking.askBaseUrl()),
    keys: keyFile === undefined ? await asking.askKeys() : await readKeyFile(keyFile),
  }
}
