import { createHash } from 'node:crypto'
import { describePlace, type PlacedDisturbance } from './kinds.ts'

/**
 * Pairs of disturbances, the most promising first: pairs of kinds that were tried least often together, then in an
 * order that depends on the seed. The same seed gives the same order.
 */
export function* pairsOf(
  places: readonly PlacedDisturbance[],
  seed: number,
): Generator<readonly [PlacedDisturbance, PlacedDisturbance]> {
  const waiting = new Map<string, { pair: readonly [PlacedDisturbance, PlacedDisturbance]; rank: string }[]>()
  for (const [at, one] of places.entries())
    for (const other of places.slice(at + 1)) {
      if (conflict(one, other)) continue
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

/** Two of the same kind at one place are one disturbance, and a disturbed call cannot be disturbed twice. */
function conflict(one: PlacedDisturbance, other: PlacedDisturbance): boolean {
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

/** Kinds that hold an event back for a while: two of them on the same event would conflict. */
const KEEP_BACK = new Set(['webhook-late', 'webhook-order', 'webhook-lost-answer', 'webhook-twice-at-once'])

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
