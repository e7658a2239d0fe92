import { isLive, type Keys } from '../../client/credentials.ts'
import { formatMinor } from '../../contract/currencies.ts'
import { UsageError } from '../errors/cli-errors.ts'
import type { OutputFlags } from '../output/flags.ts'
import { openPrinter } from '../output/printer.ts'
import { findTarget } from '../target/find-target.ts'
import { readKeyFile } from '../target/read-credentials.ts'
import { keepProfile } from './change-profiles.ts'
import { checkBaseUrl, checkName, nameTaken } from './new-profile.ts'
import { readProfiles } from './profiles.ts'
import { type Given, setUp, tried, type Working } from './set-up.ts'
import { profileView, shownProfile } from './view.ts'

export interface Beginning extends OutputFlags {
  readonly name?: string
  readonly baseUrl?: string
  readonly account?: string
  readonly keyFile?: string
  readonly contract?: string
  readonly caFile?: string
  readonly replace?: true
}

/** From nothing to a call that worked, and a profile that is kept. */
export async function begin(flags: Beginning, { mayAsk }: { readonly mayAsk: boolean }): Promise<void> {
  const printer = openPrinter(flags)
  await refuseName(flags)
  const given = await givenBy(flags)
  const working = mayAsk ? await setUp(given) : { ...(await tried(complete(given, flags))), isLocal: false }
  tellWhatWorked(working)
  const { name, replace } =
    flags.name === undefined
      ? await chosenName(working)
      : { name: flags.name, replace: flags.replace === true }
  const current = await keepProfile(name, working.profile, { use: true, replace })
  await printer.show({ body: shownProfile(name, working.profile, { current }) }, profileView)
  process.stderr.write(NEXT)
}

const NEXT = `
Next:
  paysim payments create    asks for what it needs, and makes a payment
  paysim payouts list       what is on its way out
  paysim doctor             how this server decided what the interface leaves open
`

/** Told before anything is asked or called. */
async function refuseName({ name, replace }: Beginning): Promise<void> {
  if (name === undefined) return
  const wrong = checkName(name)
  if (wrong !== undefined) throw new UsageError(wrong)
  if (!replace && Object.hasOwn((await readProfiles()).profiles, name)) throw new UsageError(nameTaken(name))
}

async function givenBy({ account, keyFile, ...flags }: Beginning): Promise<Given> {
  const files = { contract: flags.contract, caFile: flags.caFile }
  if (account !== undefined) {
    if (flags.baseUrl !== undefined || keyFile !== undefined)
      throw new UsageError('--account stands in place of --base-url and --key-file: the simulator knows both')
    const { baseUrl, keys } = await findTarget({ account })
    return { baseUrl, keys, ...files }
  }
  const baseUrl = flags.baseUrl ?? (process.env.PAYSIM_BASE_URL || undefined)
  if (baseUrl !== undefined) checkBaseUrl(baseUrl)
  return { baseUrl, keys: keyFile === undefined ? keysOfEnvironment() : await readKeyFile(keyFile), ...files }
}

function keysOfEnvironment(): Keys | undefined {
  const { PAYSIM_PUBLIC_KEY: publicKey, PAYSIM_SECRET_KEY: secretKey } = process.env
  return publicKey && secretKey ? { publicKey, secretKey } : undefined
}

/** All of it at once, so that nobody has to come back for the next. */
function complete(given: Given, { name }: Beginning): Given & { baseUrl: string; keys: Keys } {
  const { baseUrl, keys } = given
  const missing = [
    ...(name === undefined ? ['--name'] : []),
    ...(baseUrl === undefined ? ['--base-url'] : []),
    ...(keys === undefined ? ['--key-file'] : []),
  ]
  const hint = (baseUrl ?? keys) ? '' : '. For the simulator that runs here, --account ID is all but the name'
  if (missing.length > 0 || baseUrl === undefined || keys === undefined)
    throw new UsageError(`nobody can be asked here, and these are missing: ${missing.join(', ')}${hint}`)
  return { ...given, baseUrl, keys }
}

function tellWhatWorked({ profile, answer }: Working): void {
  const { methods = [], environment } = answer
  const amount = `${formatMinor('10000', 'THB')} THB in TH`
  const offered =
    methods.length === 0 ? `none is offered for ${amount}` : `${methods.length} offered for ${amount}`
  const live = isLive(profile.public_key) ? ': what changes something will ask first' : ''
  process.stderr.write(
    `✓ the keys are accepted, in the ${environment} environment${live}\n✓ payment methods: ${offered}\n`,
  )
}

/** A name that is free, or whose profile may go. */
async function chosenName({
  profile,
  isLocal,
}: Pick<Working, 'profile' | 'isLocal'>): Promise<{ name: string; replace: boolean }> {
  const { ask } = await import('../prompts/ask.ts')
  const { hostname } = new URL(profile.base_url)
  const name = (
    await ask.text({
      message: 'A name for it:',
      default: isLocal || checkName(hostname) !== undefined ? 'local' : hostname,
      check: checkName,
    })
  ).trim()
  const isTaken = Object.hasOwn((await readProfiles()).profiles, name)
  if (!isTaken) return { name, replace: false }
  if (await ask.confirm({ message: `There is a profile ${name}. Replace it?`, default: false }))
    return { name, replace: true }
  return chosenName({ profile, isLocal })
}
