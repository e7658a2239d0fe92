import { describe, expect, it } from 'vitest'
import { DECISIONS, type Decision, type DecisionKey } from '../../src/contract/decisions.ts'
import { answerOf, ContractFault, resolveContract } from '../../src/contract/resolve-contract.ts'

const all = Object.entries<Decision>(DECISIONS) as [DecisionKey, Decision][]
const ofKind = <K extends Decision['kind']>(kind: K) =>
  all.flatMap(([key, decision]) =>
    decision.kind === kind ? [{ key, decision: decision as Extract<Decision, { kind: K }> }] : [],
  )
const given = (key: string, value: unknown) => () => resolveContract({ [key]: value })

describe.each(ofKind('choice'))('$key', ({ key, decision }) => {
  it('takes each of its values, as text', () => {
    for (const value of decision.values) expect(given(key, value)()).toHaveProperty([key], value)
  })

  it('takes a number for one that reads as a number', () => {
    for (const value of decision.values.filter(each => /^\d+$/.test(each)))
      expect(given(key, Number(value))()).toHaveProperty([key], value)
  })

  it('is its first value where nothing is said', () => {
    expect(resolveContract()).toHaveProperty([key], decision.values[0])
  })

  it.each([['no such value'], [''], [true], [[]], [{}], [0], [undefined], [decision.values]])(
    'refuses %j, and says what is allowed',
    value => {
      expect(given(key, value)).toThrow(ContractFault)
      expect(given(key, value)).toThrow(decision.values.join(', '))
      expect(given(key, value)).toThrow(key)
    },
  )
})

it.each(ofKind('constant'))('$key is constant', ({ key, decision }) => {
  expect(given(key, decision.answer)).toThrow(`${key} is constant`)
})

describe.each(ofKind('duration'))('$key', ({ key, decision }) => {
  it.each([
    ['1ms', 1],
    ['90m', 5_400_000],
    ['PT1H', 3_600_000],
  ])('takes %s', (text, ms) => {
    expect(given(key, text)()).toHaveProperty([key], ms)
  })

  it('says its answer as a duration that it takes', () => {
    const contract = resolveContract()
    expect(given(key, answerOf(key, contract))()).toEqual(contract)
    expect(given(key, decision.value)()).toEqual(contract)
  })

  it.each([['0s'], ['soon'], [''], [5000], [null], [['1h']]])('refuses %j', value => {
    expect(given(key, value)).toThrow(/is not allowed; allowed: a duration/)
  })
})

describe('events.retry', () => {
  it.each([
    [
      ['0s', '5s'],
      [0, 5000],
    ],
    ['0s, 1m', [0, 60_000]],
    ['1s', [1000]],
  ])('takes %j', (value, gaps) => {
    expect(given('events.retry', value)()).toHaveProperty(['events.retry'], gaps)
  })

  it.each([[[]], [''], [['5s', 'soon']], [[5]], [5], [null], [{}]])('refuses %j', value => {
    expect(given('events.retry', value)).toThrow(/is not allowed; allowed: a list of durations/)
  })

  it('is the schedule of 75 h 35 min 5 s', () => {
    expect(resolveContract()['events.retry'].reduce((sum, gap) => sum + gap, 0)).toBe(272_105_000)
  })
})

describe('create.path', () => {
  it.each(['/payment_intents', '/v1/payments', '/a.b~c-d'])('takes %s', path => {
    expect(given('create.path', path)()).toHaveProperty(['create.path'], path)
  })

  it.each([[''], ['/'], ['payments'], ['/a/'], ['/a b'], ['/a?b'], ['/:id'], ['//a'], ['/é'], [5], [null]])(
    'refuses %j',
    path => {
      expect(given('create.path', path)).toThrow(/is not allowed/)
    },
  )
})

it.each(['errors', 'errors.bodies', '__proto__', 'constructor', 'toString', ''])(
  'there is no decision %j',
  key => {
    const overrides = JSON.parse(`{${JSON.stringify(key)}: "flat"}`)
    expect(() => resolveContract(overrides)).toThrow(`${key} is not a decision`)
  },
)

it('every switch answers in words that it takes', () => {
  const contract = resolveContract()
  const words = all
    .filter(([, { kind }]) => kind !== 'constant')
    .map(([key]) => [key, answerOf(key, contract)])
  expect(resolveContract(Object.fromEntries(words))).toEqual(contract)
})
