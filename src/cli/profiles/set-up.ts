import type { Keys } from '../../client/credentials.ts'
import type { PaymentMethodOptions } from '../../client/index.ts'
import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { askGateway } from './ask-gateway.ts'
import { askKeys } from './ask-pieces.ts'
import { newProfile } from './new-profile.ts'
import type { Profile } from './profile.ts'
import { tryOut } from './try-out.ts'

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
