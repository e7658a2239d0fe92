import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { StartError } from '../../engine/store/store-errors.ts'

const SHORTEST = 8
/** Hosts that other machines can reach, where strangers can try tokens. */
const SHORTEST_ON_NETWORK = 16

/** Whether no other machine reaches a server that listens there. */
const isOnlyHere = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** What the network can do with a server that listens there; undefined if nothing. */
export const openedBy = (host: string, url: string, controlUrl: string): string | undefined =>
  isOnlyHere(host)
    ? undefined
    : `other machines can reach this server at ${url}: the merchant API with the keys of an account, a payer's page with its address alone, and everything with the control token, at ${controlUrl}`

export const newControlToken = () => randomBytes(24).toString('base64url')

/**
 * The token gives full control, so one that is easy to guess is refused. The users of a server that other machines can reach
 * need to be told the token: one that nobody gave must be in a store, since another start would make another one.
 */
export function chooseControlToken(given: string | undefined, host: string): string {
  const isLocal = isOnlyHere(host)
  if (given === undefined && isLocal) return newControlToken()
  if (given === undefined)
    throw new StartError(
      `other machines can reach ${host}, and the control token gives full control: choose a token of at least ${SHORTEST_ON_NETWORK} characters, with --control-token-file or PAYSIM_CONTROL_TOKEN`,
      2,
    )
  const shortest = isLocal ? SHORTEST : SHORTEST_ON_NETWORK
  if (given.length < shortest)
    throw new StartError(
      `the control token is too short: it has ${given.length} characters; use at least ${shortest}${isLocal ? '' : ` where other machines can reach ${host}`}`,
      2,
    )
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(given))
    throw new StartError('the control token must be printable ASCII, without a space at either end', 2)
  return given
}
