import { HOP_BY_HOP } from '../../contract/wire-answer.ts'
import { isSameSecret } from '../authentication.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Reply } from '../http/reply.ts'
import { SURFACES, type SurfaceName } from '../http/routes.ts'

/**
 * The headers that the processes of a cluster add to a call that one of them forwards to another. They are ignored if the
 * secret is wrong, because then a stranger sent them.
 */

/** On a call: the surface that it came to, and the secret of the cluster. */
export const FORWARDED = 'paysim-handed-on'
/** On an answer: the reason why there is none. */
export const NO_ANSWER = 'paysim-no-answer'

/** `not-held`: nothing was done, because another process holds the account. `reset`: a fault ends the connection. */
export type NoAnswer = 'not-held' | 'reset'

export const proofFor = (surface: SurfaceName, secret: string) => `${surface} ${secret}`

/** The surface of a call that another process of the cluster forwarded; undefined for all other calls. */
export function forwardedSurface({ headers }: Exchange, secret: string): SurfaceName | undefined {
  const given = headers[FORWARDED]
  if (typeof given !== 'string') return undefined
  const surface = SURFACES.find(name => given.startsWith(name))
  return surface && isSameSecret(given, proofFor(surface, secret)) ? surface : undefined
}

/** Tells the process that forwarded a call that nothing was done. */
export const declineCall = (reply: Reply): void => reply.code(421).header(NO_ANSWER, 'not-held').send().end()

/** The headers that are forwarded, as names and values in turn. */
export function endToEnd(raw: readonly string[]): string[] {
  const names = raw.map((part, at) => (at % 2 === 0 ? part.toLowerCase() : ''))
  const named = new Set<string>()
  for (let at = names.indexOf('connection'); at !== -1; at = names.indexOf('connection', at + 1))
    for (const name of raw[at + 1]?.split(',') ?? []) named.add(name.trim().toLowerCase())
  return raw.filter((_, at) => {
    const name = names[at - (at % 2)] ?? ''
    return !HOP_BY_HOP.has(name) && !named.has(name) && name !== FORWARDED && name !== NO_ANSWER
  })
}
