import { resolve } from 'node:path'
import { readBaseUrl } from '../../client/address.ts'
import { basic, type Keys, refuseUnsafe } from '../../client/credentials.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { readAuthorities } from '../target/read-credentials.ts'
import type { Profile } from './profiles.ts'

interface ProfilePieces {
  readonly baseUrl: string
  readonly keys: Keys
  /** Files, as flags name them. */
  readonly contract?: string | undefined
  readonly caFile?: string | undefined
}

/** A profile that can be used: what would be refused with every call is refused here. */
export async function newProfile({ baseUrl, keys, contract, caFile }: ProfilePieces): Promise<Profile> {
  checkKeys(keys)
  refuseUnsafe(keys, readBaseUrl(baseUrl))
  return {
    base_url: baseUrl,
    public_key: keys.publicKey,
    secret_key: keys.secretKey,
    ...(contract === undefined ? {} : { contract: await overridesOf(contract) }),
    ...(caFile === undefined ? {} : { ca_file: await checkedAuthorities(caFile) }),
  }
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i

/** Names stand in commands and in a file: no blanks, nothing that a shell reads. */
export function checkName(name: string): string | undefined {
  return NAME.test(name) ? undefined : 'a name is letters, digits, dots, dashes and underscores, as shop-test'
}

/** Throws where it cannot be a base URL. */
export function checkBaseUrl(text: string): void {
  readBaseUrl(text)
}

/** `live` or `test`, where the key says so. */
export const environmentOf = (key: string): string | undefined => /^[ps]k_(live|test)_/.exec(key)?.[1]

/** Throws where the two cannot be a pair of keys. */
function checkKeys(keys: Keys): void {
  basic(keys)
  const { publicKey, secretKey } = keys
  if (publicKey.startsWith('sk_') && secretKey.startsWith('pk_'))
    throw new UsageError('the keys are the wrong way round: the public key, pk_…, goes first')
  const [one, other] = [environmentOf(publicKey), environmentOf(secretKey)]
  if (one !== undefined && other !== undefined && one !== other)
    throw new UsageError(
      `the keys do not go together: the public key is a ${one} key, the secret key a ${other} key`,
    )
}

/** What the file says, so that the profile goes on when the file is gone. */
async function overridesOf(file: string): Promise<Readonly<Record<string, unknown>>> {
  const { readContract } = await import('../read-file.ts')
  const { readObjectFile } = await import('../read-file.ts')
  const overrides = await readObjectFile(file)
  await readContract(overrides)
  return overrides
}

async function checkedAuthorities(file: string): Promise<string> {
  await readAuthorities(file)
  return resolve(file)
}

/** Said of a name where nobody asked for the profile that has it to be replaced. */
export const nameTaken = (name: string): string =>
  `there is a profile ${name} already: --replace puts the new one in its place`
