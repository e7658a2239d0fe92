import { describe, expect, test } from 'vitest'
import type { ProviderRule } from '../../src/contract/control/rules.ts'
import { apply } from '../../src/domain/apply.ts'
import type { CommandOf } from '../../src/domain/commands.ts'
import { decide } from '../../src/domain/decide/index.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import { consult, tryRules } from '../../src/domain/rules/consult.ts'
import { compileRule } from '../../src/domain/rules/rule.ts'
import { MutableWorld } from '../../src/domain/world.ts'
import { context } from '../support/domain/decisions.ts'
import { paymentFacts, payoutFacts } from '../support/domain/rule-facts.ts'

/** Rules in force, consulted once for each intent that comes. */
class Provider {
  readonly world = new MutableWorld()

  constructor(
    rules: readonly ProviderRule[] | null,
    private readonly standard: readonly ProviderRule[] = [],
  ) {
    if (rules) this.happen([{ type: 'RulesReplaced', rules }])
  }

  happen(events: readonly DomainEvent[]): void {
    apply(this.world, { v: 1, seq: this.world.seq + 1, at: 0, by: 'test', events })
  }

  /** The name of the rule that each of these intents gets. */
  ask(...references: string[]): (string | null | undefined)[] {
    return references.map(merchantReference => {
      const facts = paymentFacts({ merchantReference })
      const { rule, events } = consult(this.world, this.standard.map(compileRule), facts)
      this.happen(events)
      return rule?.name
    })
  }

  putInFront(...rules: ProviderRule[]): void {
    this.#execute({ type: 'PutRulesInFront', rules })
  }

  replace(...rules: ProviderRule[]): void {
    this.#execute({ type: 'ReplaceRules', rules })
  }

  #execute(command: CommandOf<'PutRulesInFront' | 'ReplaceRules'>): void {
    const decision = decide(this.world, command, context({ rules: this.standard.map(compileRule) }))
    if ('events' in decision) this.happen(decision.events)
  }
}

describe('the first matching rule decides', () => {
  test('in the order of the rules', () => {
    const rules = [{ name: 'a', match: { merchant_reference: 'a*' } }, { name: 'all' }, { name: 'never' }]
    expect(new Provider(rules).ask('a1', 'b', 'a2')).toEqual(['a', 'all', 'a'])
  })

  test('and none decides if none matches', () => {
    expect(new Provider([{ name: 'a', match: { merchant_reference: 'a' } }]).ask('b')).toEqual([undefined])
    expect(new Provider([]).ask('b')).toEqual([undefined])
  })

  test('an account without its own rules has the standard ones, and one with an empty list has none', () => {
    expect(new Provider(null, [{ name: 'standard' }]).ask('a')).toEqual(['standard'])
    expect(new Provider([], [{ name: 'standard' }]).ask('a')).toEqual([undefined])
  })
})

describe('times', () => {
  test('limits how often a rule is used', () => {
    expect(new Provider([{ name: 'twice', times: 2 }, { name: 'then' }]).ask('a', 'b', 'c')).toEqual([
      'twice',
      'twice',
      'then',
    ])
  })

  test('counts uses of the rule, not what it was compared with', () => {
    const rules = [{ name: 'once', match: { merchant_reference: 'a' }, times: 1 }]
    expect(new Provider(rules).ask('b', 'c', 'a', 'a')).toEqual([undefined, undefined, 'once', undefined])
  })

  test('is counted for each rule separately', () => {
    const rules = [
      { name: 'a', match: { merchant_reference: 'a' }, times: 1 },
      { name: 'b', match: { merchant_reference: 'b' }, times: 1 },
    ]
    expect(new Provider(rules).ask('a', 'b', 'b')).toEqual(['a', 'b', undefined])
  })
})

describe('nth', () => {
  test('counts only those for which everything else holds', () => {
    const rules = [{ name: 'second', match: { merchant_reference: 'a', nth: 2 } }, { name: 'other' }]
    expect(new Provider(rules).ask('a', 'b', 'a', 'a')).toEqual(['other', 'other', 'second', 'other'])
  })

  test('of a later rule counts only what earlier rules let pass', () => {
    const rules = [
      { name: 'first', match: { nth: 1 } },
      { name: 'next', match: { nth: 1 } },
    ]
    expect(new Provider(rules).ask('a', 'b', 'c')).toEqual(['first', 'next', undefined])
  })

  test('works together with times', () => {
    expect(new Provider([{ name: 'x', match: { nth: 2 }, times: 1 }]).ask('a', 'b', 'c')).toEqual([
      undefined,
      'x',
      undefined,
    ])
  })
})

test('not.nth leaves one turn to later rules', () => {
  const rules = [
    { name: 'but the second', match: { merchant_reference: 'a' }, not: { nth: 2 } },
    { name: 'other' },
  ]
  expect(new Provider(rules).ask('a', 'b', 'a', 'a')).toEqual([
    'but the second',
    'other',
    'other',
    'but the second',
  ])
})

describe('rules put in front', () => {
  test('come first, and the rules behind keep their counts', () => {
    const provider = new Provider([
      { name: 'once', times: 1 },
      { name: 'second', match: { nth: 2 } },
      { name: 'rest' },
    ])
    expect(provider.ask('a', 'b')).toEqual(['once', 'rest'])
    provider.putInFront(
      { name: 'front', match: { merchant_reference: 'f' } },
      { name: 'front too', times: 1 },
    )
    expect(provider.ask('f', 'x', 'y', 'z')).toEqual(['front', 'front too', 'second', 'rest'])
  })

  test('come before the standard rules', () => {
    const provider = new Provider(null, [{ name: 'standard' }])
    provider.putInFront({ name: 'front', times: 1 })
    expect(provider.ask('a', 'b')).toEqual(['front', 'standard'])
  })

  test('leave the standard rules their counts', () => {
    const provider = new Provider(null, [{ name: 'once', times: 1 }, { name: 'rest' }])
    expect(provider.ask('a', 'b')).toEqual(['once', 'rest'])
    provider.putInFront({ name: 'front', match: { merchant_reference: 'f' } })
    expect(provider.ask('c')).toEqual(['rest'])
  })
})

describe('replaced rules', () => {
  const once = { name: 'once', match: { merchant_reference: 'a*' }, times: 1 }
  const second = { name: 'second', match: { nth: 2 } }

  test('start counting again if they are others', () => {
    const provider = new Provider([once])
    provider.ask('a')
    provider.replace({ ...once, times: 2 })
    expect(provider.ask('a', 'a', 'a')).toEqual(['once', 'once', undefined])
  })

  test('keep their counts if they are the same, wherever they stand and in any order of their keys', () => {
    const provider = new Provider([second, once, { name: 'rest' }])
    expect(provider.ask('a', 'b')).toEqual(['once', 'second'])
    provider.replace(
      { name: 'new', match: { nth: 2 } },
      { times: 1, match: once.match, name: 'once' },
      second,
    )
    expect(provider.ask('a', 'a')).toEqual([undefined, 'new'])
  })

  test('keep one count each if they are equal', () => {
    const provider = new Provider([once, once])
    expect(provider.ask('a')).toEqual(['once'])
    provider.replace(once, once, once)
    expect(provider.ask('a', 'a', 'a')).toEqual(['once', 'once', undefined])
  })

  test('match and count nothing while they are off, and then go on', () => {
    const provider = new Provider([{ name: 'third', match: { nth: 3 } }, { name: 'rest' }])
    expect(provider.ask('a', 'a')).toEqual(['rest', 'rest'])
    provider.replace({ name: 'third', match: { nth: 3 }, off: true }, { name: 'rest', off: false })
    expect(provider.ask('a', 'a')).toEqual(['rest', 'rest'])
    provider.replace({ name: 'third', match: { nth: 3 } }, { name: 'rest', off: true })
    expect(provider.ask('a', 'a')).toEqual(['third', undefined])
  })

  test('continue the standard rules', () => {
    const provider = new Provider(null, [once, { name: 'rest' }])
    expect(provider.ask('a')).toEqual(['once'])
    provider.replace(once, { name: 'rest', off: true })
    expect(provider.ask('a')).toEqual([undefined])
  })

  test('of an older journal start counting again', () => {
    const provider = new Provider([once])
    provider.ask('a')
    provider.happen([{ type: 'RulesReplaced', rules: [once] }])
    expect(provider.ask('a', 'a')).toEqual(['once', undefined])
  })
})

describe('rules that are tried', () => {
  const tried = (rules: ProviderRule[], ...references: string[]) =>
    tryRules(
      rules.map(compileRule),
      references.map(merchantReference => paymentFacts({ merchantReference })),
    ).map(({ payment }) => [payment.matched, payment.used])

  test('match what has what they ask for, and are used where no earlier one is', () => {
    const rules = [{ match: { merchant_reference: 'a*' } }, {}, { match: { merchant_reference: 'b' } }]
    expect(tried(rules, 'a1', 'b', 'a2', 'c')).toEqual([
      [2, 2],
      [4, 2],
      [1, 0],
    ])
  })

  test('are used as often as their limits allow, and not while they are off', () => {
    const rules = [{ times: 1 }, { off: true }, { match: { nth: 2 } }, {}]
    expect(tried(rules, 'a', 'b', 'c', 'd').map(([, used]) => used)).toEqual([1, 0, 1, 2])
    expect(new Set(tried(rules, 'a', 'b', 'c', 'd').map(([matched]) => matched))).toEqual(new Set([4]))
  })

  test('tell payments and payouts apart', () => {
    const [both, payouts] = tryRules(
      [{ match: { amount: '1' } }, { approval: { after: '0s' } }].map(compileRule),
      [paymentFacts({ amount: '1' }), payoutFacts({ amount: '1' }), payoutFacts()],
    )
    expect(both).toEqual({ payment: { matched: 1, used: 1 }, payout: { matched: 1, used: 1 } })
    expect(payouts).toEqual({ payment: { matched: 0, used: 0 }, payout: { matched: 2, used: 1 } })
  })
})
