import { describe, expect, test } from 'vitest'
import { DECISIONS, type Decision, type DecisionKey } from '../../src/contract/decisions.ts'
import { answerOf, ContractError, resolveContract } from '../../src/contract/resolve-contract.ts'
import type { Gateway } from '../../src/engine/gateway.ts'
import { EventStreams } from '../../src/server/http/event-stream.ts'
import { payerPages } from '../../src/server/pages/index.ts'

const all = Object.entries<Decision>(DECISIONS) as [DecisionKey, Decision][]
const ofKind = <K extends Decision['kind']>(kind: K) =>
  all.flatMap(([key, decision]) =>
    decision.kind === kind ? [{ key, decision: decision as Extract<Decision, { kind: K }> }] : [],
  )
const given = (key: string, value: unknown) => () => resolveContract({ [key]: value })

describe.each(ofKind('choice'))('$key', ({ key, decision }) => {
  test('accepts each of its values as text', () => {
    for (const value of decision.values) expect(given(key, value)()).toHaveProperty([key], value)
  })

  test('accepts a number for a value that reads as a number', () => {
    for (const value of decision.values.filter(each => /^\d+$/.test(each)))
      expect(given(key, Number(value))()).toHaveProperty([key], value)
  })

  test('is the first value by default', () => {
    expect(resolveContract()).toHaveProperty([key], decision.values[0])
  })

  test.each([
    ['no such value'],
    [''],
    [true],
    [[]],
    [{}],
    [{ flat: true }],
    [0],
    [undefined],
    [decision.values],
  ])('refuses %j, and says what is allowed', value => {
    expect(given(key, value)).toThrow(ContractError)
    expect(given(key, value)).toThrow(decision.values.join(', '))
    expect(given(key, value)).toThrow(key)
  })
})

test.each(ofKind('constant'))('$key is constant', ({ key, decision }) => {
  expect(given(key, decision.answer)).toThrow(`${key} is a constant`)
})

describe.each(ofKind('duration'))('$key', ({ key, decision }) => {
  test.each([
    ['1ms', 1],
    ['90m', 5_400_000],
    ['PT1H', 3_600_000],
  ])('accepts %s', (text, ms) => {
    expect(given(key, text)()).toHaveProperty([key], ms)
  })

  test('shows its answer as a valid duration', () => {
    const contract = resolveContract()
    expect(given(key, answerOf(key, contract))()).toEqual(contract)
    expect(given(key, decision.value)()).toEqual(contract)
  })

  test.each([['0s'], ['soon'], ['-1h'], ['30'], [''], [5000], [null], [['1h']]])('refuses %j', value => {
    expect(given(key, value)).toThrow(/is not allowed; allowed: a duration/)
  })
})

describe('events.retry', () => {
  test.each([
    [
      ['0s', '5s'],
      [0, 5000],
    ],
    ['0s, 1m', [0, 60_000]],
    ['1s', [1000]],
  ])('accepts %j', (value, gaps) => {
    expect(given('events.retry', value)()).toHaveProperty(['events.retry'], gaps)
  })

  test.each([[[]], [''], [['5s', 'soon']], [[5]], [5], [null], [{}]])('refuses %j', value => {
    expect(given('events.retry', value)).toThrow(/is not allowed; allowed: a list of durations/)
  })

  test('is by default the schedule of 75 h 35 min 5 s', () => {
    expect(resolveContract()['events.retry'].reduce((sum, gap) => sum + gap, 0)).toBe(272_105_000)
  })
})

describe('create.path', () => {
  test.each([
    '/payment_intents',
    '/payment_intents/',
    '/payment_intents/new/one',
    '/v1/payments',
    '/v1/payments/',
    '/a.b~c-d',
    '/payments:create',
    '/caf%C3%A9/(a),b;c=d@e!$&*+',
    '/checkout/payments',
    '/payout_intents/new',
    '/_paysimulator',
  ])('accepts %s', path => {
    expect(given('create.path', path)()).toHaveProperty(['create.path'], path)
  })

  test.each<[path: string, rule: RegExp]>([
    ['payments', /must start with \//],
    ['', /must start with \//],
    ['https://shop.example/payments', /must start with \//],
    ['/', /a page of paysim's own/],
    ['/payments?v=2', /no query string/],
    ['/payments#new', /no fragment/],
    ['/payments/{id}', /no placeholder/],
    ['/payments/:id', /no placeholder/],
    ['/:version/payments', /no placeholder/],
    ['//payments', /no empty segment/],
    ['/v1//payments', /no empty segment/],
    ['/v1/../payments', /no segment \.\./],
    ['/./payments', /no segment \./],
    ['/v1/%2E%2e/payments', /no segment %2E%2e/],
    ['/a payment', /" ": write %20/],
    ['/zahlungen/für', /"ü": write %C3%BC/],
    ['/a\\b', /write %5C/],
    ['/50%', /write %25/],
    ['/%FF', /percent-encoded UTF-8/],
    [`/${'p'.repeat(1024)}`, /at most 1024 characters/],
    ['/payment_methods/options', /GET \/payment_methods\/options/],
    ['/payment%5Fmethods/options', /GET \/payment_methods\/options/],
    ['/payout_intents', /GET \/payout_intents/],
    ['/payment_intents/new', /GET \/payment_intents\/\{id\}/],
    ['/payment_intents/all/cancel-pending', /POST \/payment_intents\/\{id\}\/cancel-pending/],
    ['/payment_intents/all/receipt', /POST \/payment_intents\/\{id\}\/receipt/],
    ['/payout_intents/all/cancel', /POST \/payout_intents\/\{id\}\/cancel/],
    ['/_paysim', /control surface/],
    ['/_paysim/', /control surface/],
    ['/_paysim/payments', /control surface/],
    ['/%5Fpaysim/payments', /control surface/],
    ['/checkout/style.css', /page of paysim's own, \/checkout\/style\.css/],
    ['/checkout/default.test/new', /page of paysim's own, \/checkout\/\{account\}\/\{payment\}/],
    ['/checkout/default.test/new/live', /page of paysim's own/],
    ['/bank/default.test/new', /page of paysim's own/],
    ['/qr/default.test/new', /page of paysim's own/],
  ])('refuses %j, and names the broken rule', (path, rule) => {
    expect(given('create.path', path)).toThrow(`create.path: ${JSON.stringify(path)} is not allowed: `)
    expect(given('create.path', path)).toThrow(rule)
  })

  test.each([[5], [null], [['/a']], [true]])('refuses %j', value => {
    expect(given('create.path', value)).toThrow('is not allowed; allowed: any path that nothing else uses')
  })

  test('refuses each path of the pages and of the control surface', () => {
    const pages = payerPages({ gateway: {} as Gateway, streams: new EventStreams() }).routes.all.map(
      ({ path }) => path,
    )
    expect(pages.length).toBeGreaterThan(5)
    for (const pattern of pages)
      expect(given('create.path', pattern.replaceAll('/:', '/'))).toThrow(/paysim's own/)
  })
})

test('refuses null unless it is one of the values', () => {
  expect(given('errors.body', null)).toThrow('errors.body')
})

test('one bad key among good ones is named', () => {
  expect(() => resolveContract({ 'errors.body': 'flat', 'list.nonsense': 1 })).toThrow('list.nonsense')
})

test.each(['errors', 'errors.bodies', 'Errors.Body', '__proto__', 'constructor', 'toString', ''])(
  'there is no decision %j',
  key => {
    const overrides = JSON.parse(`{${JSON.stringify(key)}: "flat"}`)
    expect(() => resolveContract(overrides)).toThrow(`${key} is not a decision`)
  },
)

test('every decision accepts its own answer', () => {
  const contract = resolveContract()
  const words = all
    .filter(([, { kind }]) => kind !== 'constant')
    .map(([key]) => [key, answerOf(key, contract)])
  expect(resolveContract(Object.fromEntries(words))).toEqual(contract)
})
