import type { DomainEvent } from '../events.ts'
import { firstMatch } from '../match-limits.ts'
import type { World } from '../world.ts'
import type { Facts } from './condition.ts'
import type { Rule } from './rule.ts'

export interface Consultation {
  readonly rule: Rule | undefined
  /** The event that updates the counts, if any changed. */
  readonly events: readonly DomainEvent[]
}

/** The first rule that matches decides. */
export function consult(world: World, standard: readonly Rule[], facts: Facts): Consultation {
  const rules = world.rules ?? standard
  const { taken, held, used } = firstMatch(
    rules,
    rule => rule.holds(facts),
    world.ruleCounts,
    () => 0,
  )
  return { rule: taken, events: held.length > 0 ? [{ type: 'RulesConsulted', held, used }] : [] }
}
