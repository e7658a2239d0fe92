import { memberColumn } from '../output/columns.ts'
import { drawRecord } from '../output/record.ts'
import type { Screen } from '../output/screen.ts'
import { drawTable, type Table } from '../output/table.ts'
import type { View } from '../output/view.ts'
import { environmentOf } from '../where/keys.ts'
import type { Profile, ProfileBook } from './profiles.ts'

const HIDDEN = '***'

/** A profile as it is shown. The secret key is hidden unless somebody asks for it. */
export interface ShownProfile {
  readonly name: string
  readonly current: boolean
  readonly base_url: string
  readonly environment: string | null
  readonly public_key: string
  readonly secret_key: string
  readonly contract: Readonly<Record<string, unknown>> | null
  readonly ca_file: string | null
}

export function shownProfile(
  name: string,
  profile: Profile,
  { current, reveal = false }: { readonly current: string | null; readonly reveal?: boolean },
): ShownProfile {
  const { base_url, public_key, secret_key, contract = null, ca_file = null } = profile
  return {
    name,
    current: name === current,
    base_url,
    environment: environmentOf(public_key) ?? null,
    public_key,
    secret_key: reveal ? secret_key : hidden(secret_key),
    contract,
    ca_file,
  }
}

/** The prefix says only which kind of key it is, and may be shown. */
const hidden = (secret: string) => `${/^sk_(?:live|test)_/.exec(secret)?.[0] ?? ''}${HIDDEN}`

export const profileView: View<ShownProfile> = {
  human: (profile, screen) =>
    drawRecord(
      [
        { label: 'profile', value: profile.name, note: profile.current ? 'current' : undefined },
        { label: 'base URL', value: profile.base_url, whole: true },
        environmentField(profile, screen),
        { label: 'public key', value: profile.public_key, whole: true },
        { label: 'secret key', value: profile.secret_key, whole: true },
        { label: 'contract', value: overrides(profile.contract) },
        { label: 'authorities', value: profile.ca_file, whole: true },
      ],
      screen,
    ),
}

const environmentField = ({ environment }: ShownProfile, { paint }: Screen) => ({
  label: 'environment',
  value: environment ?? 'unknown: the keys do not say',
  ...(environment === 'live' ? { paint: (shown: string) => paint.red(shown) } : {}),
})

function overrides(contract: ShownProfile['contract']): string | null {
  if (!contract || Object.keys(contract).length === 0) return null
  return Object.entries(contract)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

type ListedProfile = Omit<ShownProfile, 'secret_key' | 'contract' | 'ca_file'>

export interface ProfileList {
  readonly current: string | null
  readonly profiles: readonly ListedProfile[]
}

export const profileList = ({ current, profiles }: ProfileBook): ProfileList => ({
  current,
  profiles: Object.entries(profiles).map(([name, profile]) => {
    const { secret_key: _, contract: __, ca_file: ___, ...listed } = shownProfile(name, profile, { current })
    return listed
  }),
})

const TABLE: Table<ListedProfile> = {
  empty: 'no profiles yet: create one with `paysim init` or `paysim profile add`',
  columns: [
    { header: '', value: ({ current }) => (current ? '*' : '') },
    memberColumn('name', 'name'),
    memberColumn('environment', 'environment', {
      paint: (shown, _, { paint }) => (shown === 'live' ? paint.red(shown) : shown),
      give: 2,
    }),
    memberColumn('base url', 'base_url', { give: 1, least: 20 }),
    memberColumn('public key', 'public_key', { give: 3, least: 12 }),
  ],
}

export const profileListView: View<ProfileList> = {
  human: ({ profiles }, screen) => drawTable(profiles, TABLE, screen),
  rows: ({ profiles }) => profiles,
  csv: ['name', 'current', 'environment', 'base_url', 'public_key'],
}
