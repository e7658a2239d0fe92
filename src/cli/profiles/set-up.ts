import { createClient } from '../../client/create-client.ts'
import type { Keys } from '../../client/credentials.ts'
import { ApiError, type PaymentMethodOptions } from '../../client/index.ts'
import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { readAuthorities } from '../target/read-credentials.ts'
import { askGateway, askKeys } from './ask-target.ts'
import { newProfile } from './new-profile.ts'
import type { Profile } from './profiles.ts'

export interface Given {
  readonly baseUrl?: string | undefined
  readonly keys?: Keys | undefined
  readonly contract?: string | undefined
  readonly caFile?: string | undefined
}

/** A profile that was seen to work. */
export interface Working {
  readonly profile: Profile
  readonly answer: PaymentMethodOptions
  readonly isLocal: boolean
}

/** Asks for what is not given, until a call works: what was typed wrong is asked for again. */
export async function setUp(given: Given): Promise<Working> {
  let { baseUrl, keys } = given
  let isLocal = false
  for (;;) {
    if (baseUrl === undefined) {
      const place = await askGateway()
      baseUrl = place.baseUrl
      isLocal = place.isLocal
      keys = given.keys ?? place.keys ?? keys
    }
    keys ??= await askKeys()
    try {
      return { ...(await tried({ ...given, baseUrl, keys })), isLocal }
    } catch (error) {
      const again = toAskAgain(exitCodeOf(error), given, isLocal)
      if (again === undefined) throw error
      process.stderr.write(`✗ ${error instanceof Error ? error.message : error}\n\n`)
      if (again === 'place') baseUrl = undefined
      keys = undefined
    }
  }
}

/** Makes the profile, and a call by it. */
export async function tried(
  pieces: Given & { readonly baseUrl: string; readonly keys: Keys },
): Promise<Omit<Working, 'isLocal'>> {
  const profile = await newProfile(pieces)
  process.stderr.write(`trying a call to ${profile.base_url} …\n`)
  return { profile, answer: await tryOut(profile) }
}

/** What to ask for again after a fault, of what was not given by a flag. */
function toAskAgain(code: number, given: Given, isLocal: boolean): 'place' | 'keys' | undefined {
  if (code === EXIT.credentials && given.keys === undefined && !isLocal) return 'keys'
  if (given.baseUrl !== undefined) return undefined
  return [EXIT.credentials, EXIT.noAnswer, EXIT.notFound, EXIT.usage].some(known => known === code)
    ? 'place'
    : undefined
}

/** A payment as it could be anywhere; discovery only reads, and an empty list is an answer too. */
const DISCOVERY = { amount: '10000', country: 'TH', currency: 'THB' }

/** Makes a call by a profile: what comes back is proof that address and keys are good. */
async function tryOut(profile: Profile): Promise<PaymentMethodOptions> {
  const client = createClient({
    baseUrl: profile.base_url,
    publicKey: profile.public_key,
    secretKey: profile.secret_key,
    ca: profile.ca_file === undefined ? undefined : await readAuthorities(profile.ca_file),
    light: true,
  })
  try {
    return await client.methods.list(DISCOVERY).catch(error => {
      // A Team may allow one of the two modes alone.
      if (!(error instanceof ApiError) || error.code !== 'checkout_mode_not_allowed') throw error
      return client.methods.list({ ...DISCOVERY, checkout_mode: 'merchant' })
    })
  } finally {
    await client.close()
  }
}
