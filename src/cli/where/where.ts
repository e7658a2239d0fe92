import type { Keys } from '../../client/credentials.ts'
import type { Contract } from '../../contract/decisions.ts'
import { type Profile, readProfiles } from '../profiles/profiles.ts'
import { type Control, findControl } from './control.ts'
import type { ControlTargetFlags } from './flags.ts'
import { findMerchant, findPlace, givenBy, type Merchant, nameOfPlace } from './merchant.ts'
import { once } from './once.ts'
import { lookAround, originOf } from './simulators.ts'
import { placeAmong, type Sources, sourcesOf, type WhereFlags } from './sources.ts'

/** Decisions that differ from the default contract. */
export type Overrides = NonNullable<Profile['contract']>

/** The answer to "which server, and whose keys?" for one command. Each part is looked up when it is asked for, and once. */
export interface Where {
  /** The merchant API and the keys for it. `standIn` replaces keys that are missing. */
  merchant(standIn?: Keys): Promise<Merchant>
  /** The control surface and its token. `standIn` replaces a token that is missing. */
  control(standIn?: string): Promise<Control>
  /** The gateway that an option, the environment or a profile names, in words, unless it is a simulator that runs here. */
  realGateway(): Promise<string | undefined>
  /** What an option or the environment gives by itself, for those who set up something new. */
  given(): Promise<{ readonly baseUrl: string | undefined; readonly keys: Keys | undefined }>
  /** What the contract file, or the profile of this server, decides; undefined without them. */
  overrides(): Promise<Overrides | undefined>
  contract(): Promise<Contract | undefined>
  /** Certificate authorities to trust besides those of this machine. */
  authorities(): Promise<string | undefined>
}

/**
 * Flags come first, then the environment, the profile, and the simulators that run. Keys go only to the address that
 * they were saved with: the address chooses the keys, and never the other way round.
 */
export function whereIs(flags: WhereFlags, known: Partial<Omit<Sources, 'flags'>> = {}): Where {
  const sources: Sources = {
    flags,
    environment: process.env,
    profiles: readProfiles,
    running: lookAround(),
    ...known,
  }
  const candidates = once(() => sourcesOf(sources))
  const place = once(async () => findPlace(await candidates(), sources))
  // A profile that no option names speaks only for its own server.
  const profile = once(async () => {
    const { profile, isProfileNamed } = await candidates()
    if (!profile || isProfileNamed) return profile
    return originOf(profile.base_url) === originOf((await place()).baseUrl) ? profile : undefined
  })
  const overrides = once(async () => {
    const given = flags.contract ?? (await profile())?.contract
    if (typeof given !== 'string') return given
    return (await import('../named-file.ts')).readObjectFile(given)
  })
  let merchant: Promise<Merchant> | undefined
  return {
    merchant(standIn) {
      merchant ??= place().then(async there => findMerchant(there, await candidates(), sources, standIn))
      return merchant
    },
    control: standIn => findControl(sources, candidates, standIn),
    async realGateway() {
      const named = placeAmong(await candidates())
      if (!named || sources.environment.PAYSIM_CONTROL_URL) return undefined
      return (await sources.running.at(named.baseUrl)) ? undefined : nameOfPlace(named)
    },
    given: async () => givenBy(sources),
    overrides,
    contract: once(async () => {
      const decided = await overrides()
      return decided && (await import('../named-file.ts')).readContract(decided)
    }),
    authorities: once(async () => {
      const file = flags.caFile ?? (await profile())?.ca_file
      return file === undefined ? undefined : (await import('./authorities.ts')).readAuthorities(file)
    }),
  }
}

/** For a command of the control surface: its `--account` is one of the simulator, and chooses no simulator. */
export const whereControlIs = ({ controlUrl, controlToken, controlTokenFile }: ControlTargetFlags): Where =>
  whereIs({ controlUrl, controlToken, controlTokenFile })
