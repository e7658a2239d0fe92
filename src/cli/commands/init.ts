import type { Command } from 'commander'
import { isLive, type Keys } from '../../client/credentials.ts'
import { formatMinor } from '../../contract/currencies.ts'
import { newCommand } from '../command-table.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'
import { openPrinter } from '../output/printer.ts'
import { checkBaseUrl, checkName, refuseName } from '../profiles/new-profile.ts'
import { readProfiles } from '../profiles/profiles.ts'
import type { Given, TestedProfile } from '../profiles/set-up.ts'
import { profileView, shownProfile } from '../profiles/view.ts'
import { canAsk } from '../prompts/confirm.ts'
import { optionFor } from '../values.ts'
import { whereIs } from '../where/where.ts'

interface InitFlags extends OutputFlags {
  readonly name?: string
  readonly baseUrl?: string
  readonly account?: string
  readonly keyFile?: string
  readonly contract?: string
  readonly caFile?: string
  readonly replace?: true
  readonly input: boolean
}

export const command = (): Command =>
  outputFlags(
    newCommand('init')
      .description(
        'Set up paysim: choose the API and the keys, test them with a call, and save them as a profile.',
      )
      .option('--name <name>', 'name of the profile, such as shop-test')
      .option('--base-url <url>', 'base URL of the API (default: PAYSIM_BASE_URL)')
      .option('--key-file <file>', 'read the keys as PUBLIC:SECRET from this file; - means stdin')
      .addOption(
        optionFor('--account <id>', 'use this account of the local simulator, such as default.test', {
          known: 'accounts',
        }),
      )
      .option('--contract <file>', 'contract file with the decisions of this server')
      .option('--ca-file <file>', 'trust the certificate authorities in this PEM file')
      .option('--replace', 'replace the profile that has this name')
      .option('--no-input', 'never prompt: fail if something is missing'),
  )
    .addHelpText(
      'after',
      `
In a terminal, the command asks for what is missing. Elsewhere, the options must say everything. The keys may also be in
PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY.

Examples:
  paysim init
  paysim init --name local --account default.test
  paysim init --name shop-test --base-url https://api.example/v1 --key-file keys.txt`,
    )
    .action(init)

async function init(flags: InitFlags): Promise<void> {
  const printer = openPrinter(flags)
  // Before anything is asked or called.
  if (flags.name !== undefined) await refuseName(flags.name, flags)
  const given = await readGiven(flags)
  const { setUp, tryProfile } = await import('../profiles/set-up.ts')
  const working = canAsk(flags)
    ? await setUp(given)
    : { ...(await tryProfile(complete(given, flags))), isLocal: false }
  reportSuccess(working)
  const { name, replace } =
    flags.name === undefined ? await askName(working) : { name: flags.name, replace: flags.replace === true }
  const { keepProfile } = await import('../profiles/change-profiles.ts')
  const current = await keepProfile(name, working.profile, { use: true, replace })
  await printer.show({ body: shownProfile(name, working.profile, { current }) }, profileView)
  process.stderr.write(NEXT)
}

const NEXT = `
Next:
  paysim payments create    create a payment; the command asks for the details
  paysim payouts list       list payouts
  paysim doctor             check the connection and the decisions of this server
`

async function readGiven({ account, keyFile, ...flags }: InitFlags): Promise<Given> {
  const files = { contract: flags.contract, caFile: flags.caFile }
  if (account !== undefined) {
    if (flags.baseUrl !== undefined || keyFile !== undefined)
      throw new UsageError(
        '--account cannot be combined with --base-url or --key-file: the local simulator provides both',
      )
    const { baseUrl, keys } = await whereIs({ account }).merchant()
    return { baseUrl, keys, ...files }
  }
  const { baseUrl, keys } = await whereIs({ baseUrl: flags.baseUrl, keyFile }).given()
  if (baseUrl !== undefined) checkBaseUrl(baseUrl)
  return { baseUrl, keys, ...files }
}

/** Names everything that is missing at once, so that nobody has to fix a script one option at a time. */
function complete(given: Given, { name }: InitFlags): Given & { baseUrl: string; keys: Keys } {
  const { baseUrl, keys } = given
  const missing = [
    ...(name === undefined ? ['--name'] : []),
    ...(baseUrl === undefined ? ['--base-url'] : []),
    ...(keys === undefined ? ['--key-file'] : []),
  ]
  const hint = (baseUrl ?? keys) ? '' : '. For the local simulator, give --account instead of a URL and keys'
  if (missing.length > 0 || baseUrl === undefined || keys === undefined)
    throw new UsageError(`cannot prompt here, and these options are missing: ${missing.join(', ')}${hint}`)
  return { ...given, baseUrl, keys }
}

function reportSuccess({ profile, answer }: TestedProfile): void {
  const { methods = [], environment } = answer
  const amount = `${formatMinor('10000', 'THB')} THB in TH`
  const offered = `${methods.length === 0 ? 'none' : methods.length} available for ${amount}`
  const live = isLive(profile.public_key) ? ': paysim will ask before it changes anything' : ''
  process.stderr.write(
    `✓ the server accepts the keys, in the ${environment} environment${live}\n✓ payment methods: ${offered}\n`,
  )
}

/** Asks until the name is free, or its profile may be replaced. */
async function askName({
  profile,
  isLocal,
}: Pick<TestedProfile, 'profile' | 'isLocal'>): Promise<{ name: string; replace: boolean }> {
  const { ask } = await import('../prompts/ask.ts')
  const { hostname } = new URL(profile.base_url)
  const name = (
    await ask.text({
      message: 'Name for this profile:',
      default: isLocal || checkName(hostname) !== undefined ? 'local' : hostname,
      check: checkName,
    })
  ).trim()
  const isTaken = Object.hasOwn((await readProfiles()).profiles, name)
  if (!isTaken) return { name, replace: false }
  if (await ask.confirm({ message: `The profile ${name} exists. Replace it?`, default: false }))
    return { name, replace: true }
  return askName({ profile, isLocal })
}
