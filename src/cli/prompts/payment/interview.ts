import { isLive } from '../../../client/credentials.ts'
import type { MethodsQuery } from '../../../client/index.ts'
import type { MerchantFlags } from '../../call/merchant-command.ts'
import type { Session } from '../../call/session.ts'
import { UsageError } from '../../errors/usage-error.ts'
import { textAt } from '../../fields/body-paths.ts'
import type { Body, RequestField } from '../../fields/request-fields.ts'
import { ask } from '../ask.ts'
import { askAgain, type Discover, guide } from './guide.ts'
import { showRequest } from './show-request.ts'

interface Interview {
  readonly flags: MerchantFlags
  readonly session: Session
}

/** The request with what was missing, seen and confirmed. */
export async function guided(begun: Body, interview: Interview): Promise<Body> {
  return confirmed(await guide(begun, discoveryOf(interview)), interview)
}

/** The request with other answers where the server found these wanting, seen and confirmed. */
export async function mended(
  body: Body,
  wanting: readonly RequestField[],
  interview: Interview,
): Promise<Body> {
  return confirmed(await askAgain(body, wanting, discoveryOf(interview)), interview)
}

const discoveryOf =
  ({ session: { client, signal } }: Interview): Discover =>
  terms =>
    client.methods.list(queryOf(terms), { signal })

const queryOf = (terms: Body): MethodsQuery => ({
  amount: textAt(terms, 'amount') ?? '',
  country: textAt(terms, 'country') ?? '',
  currency: textAt(terms, 'currency') ?? '',
  checkout_mode: textAt(terms, 'checkout_mode'),
})

async function confirmed(body: Body, { flags, session }: Interview): Promise<Body> {
  await showRequest(body, flags)
  // With a live key the question is asked before anything that is sent, and once is enough.
  if (flags.yes || isLive(session.target.keys.publicKey)) return body
  if (await ask.confirm({ message: 'Create it?', default: true })) return body
  throw new UsageError('not confirmed: nothing was done')
}
