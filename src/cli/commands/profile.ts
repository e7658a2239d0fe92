import type { Command } from 'commander'
import type { Keys } from '../../client/credentials.ts'
import { newCommand } from '../command-table.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'
import { openPrinter } from '../output/printer.ts'
import { checkBaseUrl, checkedProfile, membersOf, newProfile, refuseName } from '../profiles/new-profile.ts'
import { type Profile, type ProfileBook, profileNamed, readProfiles } from '../profiles/profiles.ts'
import { profileList, profileListView, profileView, shownProfile } from '../profiles/view.ts'
import { canAsk, confirm } from '../prompts/confirm.ts'
import { argumentFor } from '../values.ts'
import { readKeyFile } from '../where/key-file.ts'

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
  const address = baseUrl ?? (await askBaseUrl())
  return {
    baseUrl: address,
    keys: keyFile === undefined ? await askKeys(address) : await readKeyFile(keyFile),
  }
}

interface SetFlags extends OutputFlags {
  readonly baseUrl?: string
  readonly keyFile?: string
  /** False if the profile is to have none. */
  readonly contract?: string | false
  readonly caFile?: string | false
}

export const set = (): Command =>
  outputFlags(
    newCommand('profile set')
      .description('Change a part of a profile, and keep the rest: a new address needs no keys again.')
      .addArgument(
        argumentFor('[name]', 'name of the profile (default: the current one)', { known: 'profiles' }),
      )
      .option('--base-url <url>', 'base URL of the API')
      .option('--key-file <file>', 'read the keys as PUBLIC:SECRET from this file; - means stdin')
      .option('--contract <file>', 'contract file with the decisions of this server')
      .option('--no-contract', 'forget the decisions')
      .option('--ca-file <file>', 'trust the certificate authorities in this PEM file')
      .option('--no-ca-file', 'trust only the authorities of this machine'),
  )
    .addHelpText(
      'after',
      `
Examples:
  paysim profile set --base-url localhost:7400
  paysim profile set shop-test --base-url https://api.example/v2
  paysim profile set shop-test --key-file new-keys.txt
  paysim profile set shop-test --no-contract`,
    )
    .action(async (given: string | undefined, flags: SetFlags) => {
      const { baseUrl, keyFile, contract, caFile } = flags
      if ([baseUrl, keyFile, contract, caFile].every(value => value === undefined))
        throw new UsageError(
          'there is nothing to change: give --base-url, --key-file, --contract or --ca-file',
        )
      if (baseUrl !== undefined) checkBaseUrl(baseUrl)
      const changes = await membersOf({
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(keyFile === undefined ? {} : { keys: await readKeyFile(keyFile) }),
        ...(contract ? { contract } : {}),
        ...(caFile ? { caFile } : {}),
      })
      const { changeProfiles } = await import('../profiles/change-profiles.ts')
      let name = ''
      const book = await changeProfiles(book => {
        name = given ?? currentIn(book)
        const profile = checkedProfile(changed(profileNamed(name, book), changes, flags))
        return { ...book, profiles: { ...book.profiles, [name]: profile } }
      })
      process.stderr.write(`changed ${name}\n`)
      const body = shownProfile(name, profileNamed(name, book), { current: book.current })
      await openPrinter(flags).show({ body }, profileView)
    })

function changed(profile: Profile, changes: Partial<Profile>, { contract, caFile }: SetFlags): Profile {
  const { contract: decisions, ca_file: authorities, ...rest } = profile
  return {
    ...rest,
    ...(decisions === undefined || contract === false ? {} : { contract: decisions }),
    ...(authorities === undefined || caFile === false ? {} : { ca_file: authorities }),
    ...changes,
  }
}

function currentIn({ current }: ProfileBook): string {
  if (current !== null) return current
  throw new UsageError('no profile is current: give the name of one, as `paysim profile list` shows it')
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
      .addArgument(
        argumentFor('[name]', 'name of the profile (default: the current one)', { known: 'profiles' }),
      )
      .option('--reveal', 'show the secret key too'),
  )
    .addHelpText(
      'after',
      `
Examples:
  paysim profile show
  paysim profile show shop-test --query base_url
  paysim profile show shop-test --reveal -o json`,
    )
    .action(async (given: string | undefined, flags: ShowFlags) => {
      const book = await readProfiles()
      const name = given ?? currentIn(book)
      const profile = profileNamed(name, book)
      const body = shownProfile(name, profile, { current: book.current, reveal: flags.reveal === true })
      const printer = openPrinter(flags)
      await printer.show({ body }, profileView)
      if (printer.format === 'human' && flags.query === undefined && !flags.reveal)
        process.stderr.write('The secret key is hidden: --reveal shows it.\n')
    })

export const use = (): Command =>
  newCommand('profile use')
    .description('Make a profile the current one. Options and environment variables still override it.')
    .addArgument(argumentFor('[name]', 'name of the profile', { known: 'profiles' }))
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
    .addArgument(argumentFor('<name>', 'name of the profile', { known: 'profiles' }))
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
