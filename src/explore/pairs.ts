import { createHash } from 'node:crypto'
import { describePlace, type Place } from './kinds.ts'

/**
 * Pairs of disturbances in the order in which they are worth trying: first those whose kinds were tried together least
 * often, and among equals as the seed has it. The same seed gives the same order.
 */
export function* pairsOf(places: readonly Place[], seed: number): Generator<readonly [Place, Place]> {
  const waiting = new Map<string, { pair: readonly [Place, Place]; rank: string }[]>()
  for (const [at, one] of places.entries())
    for (const other of places.slice(at + 1)) {
      if (clash(one, other)) continue
      const kinds = [one.kind, other.kind].sort().join(' + ')
      const rank = hash(`${seed} ${describePlace(one)} ${describePlace(other)}`)
      waiting.set(kinds, [...(waiting.get(kinds) ?? []), { pair: [one, other], rank }])
    }
  for (const pairs of waiting.values()) pairs.sort((a, b) => a.rank.localeCompare(b.rank))
  const kinds = [...waiting.keys()].sort((a, b) => hash(`${seed} ${a}`).localeCompare(hash(`${seed} ${b}`)))
  for (let round = 0; ; round++) {
    const left = kinds.filter(kind => (waiting.get(kind)?.length ?? 0) > round)
    if (left.length === 0) return
    for (const kind of left) {
      const next = waiting.get(kind)?.[round]
      if (next) yield next.pair
    }
  }
}

/** Two of one kind at one place are one, and what was not carried out cannot be disturbed further. */
function clash(one: Place, other: Place): boolean {
  const isSameThing =
    one.before === other.before &&
    one.event === other.event &&
    one.call === other.call &&
    one.nth === other.nth
  return (
    isSameThing &&
    (one.kind === other.kind ||
      one.call !== undefined ||
      KEEP_BACK.has(one.kind) ||
      KEEP_BACK.has(other.kind))
  )
}

/** Kinds that keep an event from the application for a while: two of them on one event have no clear meaning. */
const KEEP_BACK = new Set(['webhook-late', 'webhook-order', 'webhook-lost-answer', 'webhook-twice-at-once'])

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
