import { basic, isLive, type Keys } from '../../client/credentials.ts'
import { UsageError } from '../errors/cli-errors.ts'

/** `live` or `test`, if the key begins with it. */
export const environmentOf = (key: string): string | undefined => /^[ps]k_(live|test)_/.exec(key)?.[1]

export const isLivePair = ({ publicKey, secretKey }: Keys): boolean =>
  isLive(publicKey) || secretKey.startsWith('sk_live_')

/** Refuses two keys that are not a pair: the server would only say that they are wrong. `from` is where both were found. */
export function refuseMixed(keys: Keys, from?: string): void {
  basic(keys)
  const { publicKey, secretKey } = keys
  const both = from === undefined ? 'the keys' : `the keys from ${from}`
  if (publicKey.startsWith('sk_') && secretKey.startsWith('pk_'))
    throw new UsageError(`${both} are in the wrong order: give the public key (pk_…) first`)
  const [one, other] = [environmentOf(publicKey), environmentOf(secretKey)]
  if (one === undefined || other === undefined || one === other) return
  throw new UsageError(
    `${both} do not belong together: ${publicKey} is a ${one} key, and the secret key is a ${other} key; take both from one account`,
  )
}

/** Where keys were found, in words for people. */
export function placeOfKeys(source: string): string {
  if (source === 'environment') return 'PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY'
  return source === 'flag' ? '--key-file' : source
}

/** Where an address was found, in words for people. */
export function placeOfAddress(source: string): string {
  if (source === 'environment') return 'PAYSIM_BASE_URL'
  return source === 'flag' ? '--base-url' : source
}
