import { timingSafeEqual } from 'node:crypto'
import type { Carrier } from '../http/carrier.ts'
import type { Reply } from '../http/reply.ts'
import { SURFACES, type SurfaceName } from '../http/surface.ts'

/**
 * The headers that the processes of a cluster add to a call that one of them hands to another. They are ignored if the
 * secret is wrong, because then a stranger sent them.
 */

/** On a call: the surface that it came to, and the secret of the cluster. */
export const HANDED_ON = 'paysim-handed-on'
/** On an answer: the reason why there is none. */
export const NO_ANSWER = 'paysim-no-answer'

/** `not-held`: nothing was done, because another process holds the account. `reset`: a fault ends the connection. */
export type NoAnswer = 'not-held' | 'reset'

export const handedOn = (surface: SurfaceName, secret: string) => `${surface} ${secret}`

/** The surface of a call that another process of the cluster handed on; undefined for all other calls. */
export function surfaceHandedOn({ headers }: Carrier, secret: string): SurfaceName | undefined {
  const given = headers[HANDED_ON]
  if (typeof given !== 'string') return undefined
  const surface = SURFACES.find(name => given.startsWith(name))
  return surface && isSame(given, handedOn(surface, secret)) ? surface : undefined
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Tells the process that handed a call on that nothing was done. */
export const declineCall = (reply: Reply): void =>
  reply.code(421).header(NO_ANSWER, 'not-held').send().leave()

/** Headers about one connection, which are not passed on. */
const OF_CONNECTION = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers that are passed on, as names and values in turn. */
export function passedOn(raw: readonly string[]): string[] {
  const names = raw.map((part, at) => (at % 2 === 0 ? part.toLowerCase() : ''))
  const named = new Set<string>()
  for (let at = names.indexOf('connection'); at !== -1; at = names.indexOf('connection', at + 1))
    for (const name of raw[at + 1]?.split(',') ?? []) named.add(name.trim().toLowerCase())
  return raw.filter((_, at) => {
    const name = names[at - (at % 2)] ?? ''
    return !OF_CONNECTION.has(name) && !named.has(name) && name !== HANDED_ON && name !== NO_ANSWER
  })
}
