import type { Environment } from '../../contract/statuses.ts'
import type { RouteEntry } from '../catalogue.ts'
import type { DomainEvent } from '../events.ts'
import { type Count, countMatch, firstMatch } from '../match-limits.ts'
import type { Customer, Payment } from '../model.ts'
import { eligibleRoutes, missingFields, type RoutingTable } from '../routing.ts'
import type { World } from '../world.ts'
import type { Facts } from './condition.ts'
import type { Rule } from './rule.ts'

interface Consultation {
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

/** Of the payments and of the payouts: how many a rule matches, and how many it would have decided. */
type TriedRule = { readonly [K in Facts['kind']]: { matched: number; used: number } }

/** What rules would have done with intents, the oldest first, as if all counts began with them. */
export function tryRules(rules: readonly Rule[], intents: readonly Facts[]): readonly TriedRule[] {
  const counts = new Map<number, Count>()
  const tried = rules.map(() => ({ payment: { matched: 0, used: 0 }, payout: { matched: 0, used: 0 } }))
  for (const facts of intents) {
    const match = firstMatch(
      rules,
      rule => rule.holds(facts),
      counts,
      () => 0,
    )
    countMatch(counts, match)
    for (const [at, { [facts.kind]: count }] of tried.entries()) {
      if (rules[at]?.holds(facts)) count.matched++
      if (at === match.used) count.used++
    }
  }
  return tried
}

/** What is known of the rule of a payment whose method is still to be chosen. */
export type ForeseenRule =
  /** The same one, whatever the payer chooses; its name, if it has one. */
  | { readonly is: 'rule'; readonly name: string | null; readonly manual: boolean }
  | { readonly is: 'none' }
  | { readonly is: 'depends' }
  /** No method could be chosen now. */
  | { readonly is: 'no method' }

/** What the choice depends on, besides the payment. */
interface Routing {
  readonly environment: Environment
  readonly table: RoutingTable
}

/** The rule that would apply if the payer chose now, as far as it does not depend on the choice. */
export function foreseeRule(
  world: World,
  standard: readonly Rule[],
  payment: Payment,
  { environment, table }: Routing,
): ForeseenRule {
  const rules = world.rules ?? standard
  const { amount, currency, country, checkoutMode, merchantReference, customer } = payment
  const known = { amount, currency, country, checkoutMode, environment }
  const taken = eligibleRoutes(table, known).map(
    ({ method, provider }: RouteEntry) =>
      firstMatch(
        rules,
        rule => rule.holds({ kind: 'payment', ...known, merchantReference, customer, method, provider }),
        world.ruleCounts,
        () => 0,
      ).used,
  )
  const [first, ...others] = taken
  if (first === undefined) return { is: 'no method' }
  if (others.some(used => used !== first)) return { is: 'depends' }
  const upTo = first === null ? rules : rules.slice(0, first + 1)
  if (upTo.some(rule => !rule.off && asksThePayer(rule, customer))) return { is: 'depends' }
  const rule = first === null ? undefined : rules[first]
  return rule ? { is: 'rule', name: rule.name, manual: rule.payment.outcome === 'manual' } : { is: 'none' }
}

/** A method that the payer can choose now without giving anything else: the first one, as routing chooses it. */
export function simplestMethod({ environment, table }: Routing, payment: Payment): string | null {
  const { amount, currency, country, checkoutMode, customer } = payment
  const routes = eligibleRoutes(table, { amount, currency, country, checkoutMode, environment })
  const route = routes.find(
    (each, nth) =>
      routes.findIndex(({ method }) => method === each.method) === nth &&
      missingFields(each, customer, {}).length === 0,
  )
  return route?.method ?? null
}

/** Whether a rule looks at something of the customer that the payer may still add. */
const asksThePayer = ({ data: { match, not } }: Rule, known: Customer): boolean =>
  (['name', 'phone'] as const).some(
    field =>
      known[field] === undefined &&
      (match?.customer?.[field] !== undefined || not?.customer?.[field] !== undefined),
  )
