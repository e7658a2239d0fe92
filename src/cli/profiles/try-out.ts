import { createClient } from '../../client/create-client.ts'
import { ApiError, type PaymentMethodOptions } from '../../client/index.ts'
import { readAuthorities } from '../target/read-authorities.ts'
import type { Profile } from './profile.ts'

/** A payment as it could be anywhere; discovery only reads, and an empty list is an answer too. */
const DISCOVERY = { amount: '10000', country: 'TH', currency: 'THB' }

/** Makes a call by a profile: what comes back is proof that address and keys are good. */
export async function tryOut(profile: Profile): Promise<PaymentMethodOptions> {
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
