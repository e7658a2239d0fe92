import { inspect } from 'node:util'

/** Throws with the name of the broken rule. */
export function must(holds: boolean, rule: string, facts?: unknown): asserts holds {
  if (!holds) throw new Error(facts === undefined ? rule : `${rule}: ${inspect(facts, { depth: 6 })}`)
}
