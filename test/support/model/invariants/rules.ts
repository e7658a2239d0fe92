import { isDeepStrictEqual } from 'node:util'
import type { DomainEvent, Entry } from '../../../../src/domain/events.ts'
import type { Facts } from '../../../../src/domain/rules/condition.ts'
import { compileRule, type Rule } from '../../../../src/domain/rules/rule.ts'
import { type Machine, SERVER_RULES, type Watch } from '../machine.ts'
import { must } from '../must.ts'

interface Counted {
  readonly rule: Rule
  held: number
  used: number
}
const uncounted = (rule: Rule): Counted => ({ rule, held: 0, used: 0 })

/** Checks that each intent follows the first rule that matches, with counts that do not depend on the world. */
export class Rules implements Watch {
  #inForce = SERVER_RULES.map(uncounted)

  entry({ events }: Entry, machine: Machine): void {
    for (const event of events) this.#follow(event, machine)
  }

  #follow(event: DomainEvent, machine: Machine): void {
    switch (event.type) {
      case 'RulesReplaced':
        this.#inForce = event.rules
          ? this.#continued(event.rules.map(compileRule))
          : SERVER_RULES.map(uncounted)
        return
      case 'RulesPutInFront':
        this.#inForce.unshift(...event.rules.map(compileRule).map(uncounted))
        return
      case 'RouteFrozen': {
        const rule = this.#first(paymentFacts(event.payment, machine))
        return must(isDeepStrictEqual(event.script, rule?.payment), 'an intent follows its rule', {
          event,
          rule,
        })
      }
      case 'PayoutCreated': {
        const { recipient, ...facts } = event
        const rule = this.#first({ ...facts, kind: 'payout', environment: 'test', recipient })
        return must(isDeepStrictEqual(event.script, rule?.payout), 'a payout follows its rule', {
          event,
          rule,
        })
      }
    }
  }

  /** Each rule that is the same as one before, on or off, has the counts of the first of these that is left. */
  #continued(rules: readonly Rule[]): Counted[] {
    const left = [...this.#inForce]
    return rules.map(rule => {
      const at = left.findIndex(before =>
        isDeepStrictEqual({ ...before.rule.data, off: false }, { ...rule.data, off: false }),
      )
      const [before] = at === -1 ? [] : left.splice(at, 1)
      return before ? { ...before, rule } : uncounted(rule)
    })
  }

  #first(facts: Facts): Rule | undefined {
    for (const counted of this.#inForce) {
      const { rule } = counted
      if (rule.data.off === true || !rule.holds(facts)) continue
      counted.held++
      if (rule.nth !== null && counted.held !== rule.nth) continue
      if (rule.skipNth === counted.held) continue
      if (rule.times !== null && counted.used >= rule.times) continue
      counted.used++
      return rule
    }
    return undefined
  }
}

function paymentFacts(id: string, { world }: Machine): Facts {
  const payment = world.payments.get(id)
  must(payment?.route !== null && payment !== undefined, 'a route is frozen into its intent', id)
  const { route, ...facts } = payment
  return { ...facts, kind: 'payment', environment: 'test', method: route.method, provider: route.provider }
}
