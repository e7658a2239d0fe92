import type { Command } from 'commander'
import type { Keys } from '../../client/credentials.ts'
import { newCommand } from '../command-table.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'
import { openPrinter } from '../output/printer.ts'
import { checkBaseUrl, newProfile, refuseName } from '../profiles/new-profile.ts'
import { profileNamed, readProfiles } from '../profiles/profiles.ts'
import { profileList, profileListView, profileView, shownProfile } from '../profiles/view.ts'
import { canAsk, confirm } from '../prompts/confirm.ts'
import { readKeyFile } from '../target/find-target.ts'

interface AddFlags extends OutputFlags {
  readonly baseUrl?: string
  readonly keyFile?: string
  readonly contract?: string
  readonly caFile?: string
  readonly replace?: true
  readonly use?: true
  readonly input: boolean
}

export const add = (): Command =>
  outputFlags(
    newCommand('profile add')
      .description('Save an address and its keys as a profile. The first profile becomes the current one.')
      .argument('<name>', 'name of the profile, such as shop-test')
      .option('--base-url <url>', 'base URL of the API')
      .option('--key-file <file>', 'read the keys as PUBLIC:SECRET from this file; - means stdin')
      .option('--contract <file>', 'contract file with the decisions of this server')
      .option('--ca-file <file>', 'trust the certificate authorities in this PEM file')
      .option('--use', 'make this the current profile')
      .option('--replace', 'replace the profile that has this name')
      .option('--no-input', 'never prompt: fail if something is missing'),
  )
    .addHelpText(
      'after',
      `
The command asks for a missing address and for missing keys, and does not show the keys. No option takes a key itself,
because other users of the machine can read the options of a command.

Examples:
  paysim profile add shop-test --base-url https://api.example/v1
  paysim profile add shop-test --base-url https://api.example/v1 --key-file keys.txt --use
  pass show shop/test | paysim profile add shop-test --base-url https://api.example/v1 --key-file -`,
    )
    .action(async (name: string, flags: AddFlags) => {
      // Before anything is asked. Saving checks once more.
      await refuseName(name, flags)
      const profile = await newProfile({ ...flags, ...(await askMissing(flags)) })
      const { keepProfile } = await import('../profiles/change-profiles.ts')
      const current = await keepProfile(name, profile, {
        use: flags.use === true,
        replace: flags.replace === true,
      })
      await openPrinter(flags).show({ body: shownProfile(name, profile, { current }) }, profileView)
    })

async function askMissing(flags: AddFlags): Promise<{ baseUrl: string; keys: Keys }> {
  const { baseUrl, keyFile } = flags
  const missing = [
    ...(baseUrl === undefined ? ['--base-url'] : []),
    ...(keyFile === undefined ? ['--key-file'] : []),
  ]
  if (missing.length > 0 && !canAsk(flags))
    throw new UsageError(`cannot prompt here, and these options are missing: ${missing.join(', ')}`)
  if (baseUrl !== undefined) checkBaseUrl(baseUrl)
  const { askBaseUrl, askKeys } = await import('../profiles/set-up.ts')
  return {
    baseUrl: baseUrl ?? (await askBaseUrl()),
    keys: keyFile === undefined ? await askKeys() : await readKeyFile(keyFile),
  }
}

export const list = (): Command =>
  outputFlags(newCommand('profile list').description('List all profiles. A star marks the current one.'))
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

interface ShowFlags extends OutputFlags {
  readonly reveal?: true
}

export const show = (): Command =>
  outputFlags(
    newCommand('profile show')
      .description('Show a profile, without its secret key.')
      .argument('<name>', 'name of the profile')
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
    .action(async (name: string, flags: ShowFlags) => {
      const book = await readProfiles()
      const profile = profileNamed(name, book)
      const body = shownProfile(name, profile, { current: book.current, reveal: flags.reveal === true })
      await openPrinter(flags).show({ body }, profileView)
    })

export const use = (): Command =>
  newCommand('profile use')
    .description('Make a profile the current one. Options and environment variables still override it.')
    .argument('[name]', 'name of the profile')
    .option('--none', 'use no profile: calls go to the local simulator by default')
    .addHelpText(
      'after',
      `
Examples:
  paysim profile use shop-test
  paysim profile use --none`,
    )
    .action(async (name: string | undefined, { none }: { readonly none?: true }) => {
      if ((name === undefined) !== (none === true))
        throw new UsageError('give either a profile name or --none')
      const { changeProfiles } = await import('../profiles/change-profiles.ts')
      const { current } = await changeProfiles(book => {
        if (name !== undefined) profileNamed(name, book)
        return { ...book, current: name ?? null }
      })
      process.stderr.write(
        current === null ? 'no profile is current now\n' : `${current} is the current profile now\n`,
      )
    })

interface RemoveFlags {
  readonly yes?: true
  readonly input: boolean
}

export const remove = (): Command =>
  newCommand('profile remove')
    .description('Remove a profile and its keys.')
    .argument('<name>', 'name of the profile')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--no-input', 'never prompt: --yes is required then')
    .addHelpText(
      'after',
      `
Examples:
  paysim profile remove shop-test
  paysim profile remove shop-test --yes`,
    )
    .action(async (name: string, flags: RemoveFlags) => {
      profileNamed(name, await readProfiles())
      await confirm(flags, `remove the profile ${name} and its keys`)
      const { changeProfiles } = await import('../profiles/change-profiles.ts')
      let wasCurrent = false
      await changeProfiles(({ current, profiles: { [name]: _, ...profiles } }) => {
        wasCurrent = current === name
        return { current: wasCurrent ? null : current, profiles }
      })
      process.stderr.write(`removed ${name}${wasCurrent ? '; no profile is current now' : ''}\n`)
    })
