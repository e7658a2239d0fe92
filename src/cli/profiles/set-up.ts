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

/** A profile, and the answer to a call with it. */
export interface TestedProfile {
  readonly profile: Profile
  readonly answer: PaymentMethodOptions
  readonly isLocal: boolean
}

/** Asks for what is not given, and asks again until a call works. */
export async function setUp(given: Given): Promise<TestedProfile> {
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
      return { ...(await tryProfile({ ...given, baseUrl, keys })), isLocal }
    } catch (error) {
      const again = askAgain(exitCodeOf(error), given, isLocal)
      if (again === undefined) throw error
      process.stderr.write(`✗ ${error instanceof Error ? error.message : error}\n\n`)
      if (again === 'place') baseUrl = undefined
      keys = undefined
    }
  }
}

/** Makes a profile, and a call with it. */
export async function tryProfile(
  given: Given & { readonly baseUrl: string; readonly keys: Keys },
): Promise<Omit<TestedProfile, 'isLocal'>> {
  const profile = await newProfile(given)
  process.stderr.write(`calling ${profile.base_url} …\n`)
  return { profile, answer: await callWith(profile) }
}

/** What to ask for again after an error: only what no option gave. */
function askAgain(code: number, given: Given, isLocal: boolean): 'place' | 'keys' | undefined {
  if (code === EXIT.credentials && given.keys === undefined && !isLocal) return 'keys'
  if (given.baseUrl !== undefined) return undefined
  return [EXIT.credentials, EXIT.noAnswer, EXIT.notFound, EXIT.usage].some(known => known === code)
    ? 'place'
    : undefined
}

/** A payment that any country could have. Discovery only reads, and an empty list is an answer too. */
const DISCOVERY = { amount: '10000', country: 'TH', currency: 'THB' }

/** Makes a call with a profile: an answer proves that the address and the keys work. */
async function callWith(profile: Profile): Promise<PaymentMethodOptions> {
  const client = createClient({
    baseUrl: profile.base_url,
    publicKey: profile.public_key,
    secretKey: profile.secret_key,
    ca: profile.ca_file === undefined ? undefined : await readAuthorities(profile.ca_file),
  })
  try {
    return await client.methods.list(DISCOVERY).catch(error => {
      // A merchant may allow only one of the two modes.
      if (!(error instanceof ApiError) || error.code !== 'checkout_mode_not_allowed') throw error
      return client.methods.list({ ...DISCOVERY, checkout_mode: 'merchant' })
    })
  } finally {
    await client.close()
  }
}
