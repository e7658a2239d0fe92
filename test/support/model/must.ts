import { inspect } from 'node:util'

/** Throws an error with the name of the rule if it does not hold. */
export function must(holds: boolean, rule: string, facts?: unknown): asserts holds {
  if (!holds) throw new Error(facts === undefined ? rule : `${rule}: ${inspect(facts, { depth: 6 })}`)
}
