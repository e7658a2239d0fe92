/** An address, keys and how the server there decided, under a name. */
export interface Profile {
  readonly base_url: string
  readonly public_key: string
  readonly secret_key: string
  /** Overrides of the contract. */
  readonly contract?: Readonly<Record<string, unknown>>
  readonly ca_file?: string
}

/** What is in the file. */
export interface ProfileBook {
  readonly current: string | null
  readonly profiles: Readonly<Record<string, Profile>>
}

export const NO_PROFILES: ProfileBook = { current: null, profiles: {} }
