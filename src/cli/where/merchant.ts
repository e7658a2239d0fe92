import { readBaseUrl } from '../../client/address.ts'
import { type Keys, refuseUnsafe } from '../../client/credentials.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { asCandidate, othersThan, type TargetCandidate, type TargetChoice } from './choice.ts'
import { isLivePair, placeOfAddress, placeOfKeys, refuseMixed } from './keys.ts'
import { accountNamed, dataDirectory, type LocalSimulator, originOf } from './simulators.ts'
import {
  type Candidates,
  inEnvironment,
  inFlags,
  type Place,
  placeAmong,
  type Source,
  type Sources,
} from './sources.ts'

/** The merchant API that a command calls, with which keys, and where both were found. */
export interface Merchant {
  readonly baseUrl: string
  readonly keys: Keys
  readonly from: { readonly baseUrl: string; readonly keys: string }
  readonly choice: TargetChoice
}

/** The first address that is given, or that of the local simulator. */
export async function findPlace(candidates: Candidates, sources: Sources): Promise<Place> {
  const place = placeAmong(candidates) ?? localPlace(await simulatorsOf(sources), sources)
  if (place) return place
  throw new UsageError(`no API to call: no simulator serves ${dataDirectory()}, and no base URL is set.
Start a simulator with \`paysim serve\`, or set --base-url, PAYSIM_BASE_URL or a profile (\`paysim init\`).`)
}

/** If the environment names a control surface, calls go to the merchant API of the same simulator. */
async function simulatorsOf({ flags, environment, running }: Sources): Promise<readonly LocalSimulator[]> {
  const { PAYSIM_CONTROL_URL } = environment
  const named = PAYSIM_CONTROL_URL ? await running.at(PAYSIM_CONTROL_URL) : undefined
  const here = await running.here()
  if (!named || flags.account !== undefined) return here
  return [named, ...here.filter(({ control_url }) => control_url !== named.control_url)]
}

function localPlace(
  [simulator, ...others]: readonly LocalSimulator[],
  { flags: { account }, environment: { PAYSIM_CONTROL_URL = '' } }: Sources,
): Place | undefined {
  if (!simulator) return undefined
  const named =
    (account !== undefined && others.length === 0) ||
    originOf(PAYSIM_CONTROL_URL) === originOf(simulator.control_url)
  return { name: localName(account), baseUrl: simulator.url, named }
}

const localName = (account: string | undefined) => `the local simulator, ${accountNamed(account)}`

/** Finds the keys for an address. `standIn` replaces keys that are missing, but none that belong elsewhere. */
export async function findMerchant(
  place: Place,
  candidates: Candidates,
  sources: Sources,
  standIn?: Keys,
): Promise<Merchant> {
  const { baseUrl } = place
  const address = readBaseUrl(baseUrl)
  refuseHalf(sources)
  const holder = await keysFor(place, candidates, sources)
  const keys = holder?.keys ?? standIn
  if (!keys) throw new UsageError(noKeys(address.origin))
  const from = holder?.name ?? 'nowhere'
  refuseMixed(keys, placeOfKeys(from))
  refuseUnsafe(keys, address)
  const { sources: used, overridden } = candidates
  const others = async () =>
    othersThan(baseUrl, [
      ...[...used, ...overridden].flatMap(asPlace),
      ...(await simulatorsOf(sources)).map(asCandidate),
    ])
  return {
    baseUrl,
    keys,
    from: { baseUrl: place.name, keys: from },
    choice: { chosen: { url: baseUrl, name: place.name }, others, named: place.named },
  }
}

const asPlace = ({ baseUrl, name }: Source): TargetCandidate[] =>
  baseUrl === undefined ? [] : [{ url: baseUrl, name }]

interface Holder {
  readonly name: string
  readonly keys: Keys
}

/**
 * Keys that an option gives are meant for this call. Others go only to the address that they were saved with: that of
 * the environment, of the profile, or of the simulator that announced them.
 */
async function keysFor(
  place: Place,
  { sources: [flags, ...saved], isProfileNamed }: Candidates,
  sources: Sources,
): Promise<Holder | undefined> {
  const { account } = sources.flags
  if (flags?.keys) return { name: flags.name, keys: flags.keys }
  let elsewhere: (Source & Holder) | undefined
  for (const { keys, ...source } of saved) {
    if (!keys) continue
    if (await belongs({ ...source, keys }, place, sources)) return { name: source.name, keys }
    if (source.baseUrl === undefined) throw new UsageError(withoutAddress(place))
    elsewhere ??= { ...source, keys }
  }
  const simulator = isProfileNamed ? undefined : await sources.running.at(place.baseUrl)
  if (simulator) return { name: localName(account), keys: await sources.running.keysOf(simulator, account) }
  if (elsewhere) throw new UsageError(belongElsewhere(elsewhere, place))
  return undefined
}

async function belongs(
  { baseUrl, keys }: Source & Holder,
  place: Place,
  { running }: Sources,
): Promise<boolean> {
  if (baseUrl !== undefined) return originOf(baseUrl) === originOf(place.baseUrl)
  // Keys alone in the environment are for the address that an option gives, as scripts do. Live keys need more than that.
  if (place.name === 'flag' && !isLivePair(keys)) return true
  const simulator = await running.at(place.baseUrl)
  return simulator !== undefined && (await running.accountWith(simulator, keys.publicKey)) !== undefined
}

/** Such as `https://api.example (profile shop)`. */
export const nameOfPlace = ({ name, baseUrl }: Place) =>
  `${originOf(baseUrl) ?? baseUrl} (${placeOfAddress(name)})`

const belongElsewhere = ({ name, baseUrl = '' }: Source, place: Place) =>
  `the keys from ${placeOfKeys(name)} belong to ${originOf(baseUrl) ?? baseUrl}, not to ${nameOfPlace(place)}: give the keys of that address with --key-file`

const withoutAddress = (place: Place) =>
  `the keys from ${placeOfKeys('environment')} may not belong to ${nameOfPlace(place)}: set PAYSIM_BASE_URL to the address of these keys, give keys with --key-file, or unset both`

function refuseHalf({ environment }: Sources): void {
  if (!environment.PAYSIM_PUBLIC_KEY !== !environment.PAYSIM_SECRET_KEY)
    throw new UsageError('only one of PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY is set: set both')
}

const noKeys = (origin: string) => `no keys for ${origin}.
Set PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY, --key-file, or a profile (\`paysim init\`).`

/** What options and the environment give by themselves, for those who set up something new. */
export async function givenBy(sources: Sources) {
  refuseHalf(sources)
  const [flags, environment] = [await inFlags(sources.flags), inEnvironment(sources.environment)]
  const baseUrl = flags.baseUrl ?? environment.baseUrl
  const isOther =
    environment.baseUrl !== undefined && originOf(environment.baseUrl) !== originOf(baseUrl ?? '')
  if (flags.baseUrl !== undefined && flags.keys === undefined && environment.keys && isOther)
    throw new UsageError(belongElsewhere(environment, { ...flags, baseUrl: flags.baseUrl }))
  return { baseUrl, keys: flags.keys ?? environment.keys }
}
