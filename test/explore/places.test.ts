import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ArmedDisturbances, KINDS } from '../../src/application/disturbance.ts'
import { pairsOf } from '../../src/explore/explore.ts'
import { describePlace, disturbedStory, placesOf } from '../../src/explore/kinds.ts'
import { common, differences, type StoryRecord, withSameReferences } from '../../src/explore/story-record.ts'
import { placesOfSaved } from '../../src/explore/suite.ts'
import type { ScenarioData } from '../../src/scenario/index.ts'

const SETTINGS = { retries: 9, slow: '2s' }
const TYPES = ['payment.succeeded', 'payment.failed', 'payment.updated']
const CALLS = ['POST /payment_intents', 'GET /payment_intents/:id']

/** A random scenario of up to six steps, with random events. */
const stories = fc
  .record({
    steps: fc.array(fc.constantFrom({ 'call app': 'POST /orders' }, { advance: '1m' }), {
      minLength: 1,
      maxLength: 6,
    }),
    webhooks: fc.array(fc.record({ type: fc.constantFrom(...TYPES), at: fc.nat(5) }), { maxLength: 6 }),
    calls: fc.array(fc.record({ operation: fc.constantFrom(...CALLS), at: fc.nat(5) }), { maxLength: 6 }),
    returns: fc.array(fc.record({ at: fc.nat(5), isUsed: fc.boolean() }), { maxLength: 3 }),
    clicks: fc.array(fc.record({ at: fc.nat(5) }), { maxLength: 3 }),
    decides: fc.option(fc.nat(5)),
  })
  .map(({ steps, webhooks, calls, returns, clicks, decides }): StoryRecord => {
    const byStep = <T extends { at: number }>(list: readonly T[]) =>
      list.map(one => ({ ...one, step: one.at % steps.length })).sort((a, b) => a.step - b.step)
    return {
      steps,
      webhooks: byStep(webhooks).map(({ type, step }, at) => ({
        id: `evt_${at}`,
        type,
        step,
        status: 200,
        subject: 'pi_1',
      })),
      calls: byStep(calls).map(({ operation, step }) => ({ operation, step, status: 200, subject: 'pi_1' })),
      returns: byStep(returns).map(({ step, isUsed }) => ({ payment: 'pi_1', step, isUsed })),
      decisions:
        decides === null
          ? []
          : [{ payment: 'pi_2', step: decides % steps.length, named: '${order.payment}' }],
      clicks: byStep(clicks).map(({ step }) => ({ step })),
      finalLooks: [],
      known: [],
      tookMs: 1,
    }
  })

test('every place is unique, inside the story, and finds its event or call', () => {
  fc.assert(
    fc.property(stories, story => {
      const places = placesOf(story, KINDS, SETTINGS)
      expect(new Set(places.map(describePlace)).size).toBe(places.length)
      for (const { kind, before, event, call, nth = 1 } of places) {
        expect(before).toBeLessThan(story.steps.length)
        const behind = <T extends { step: number }>(list: readonly T[]) =>
          list.filter(({ step }) => step >= before)
        if (event && kind !== 'restart')
          expect(behind(story.webhooks).filter(({ type }) => type === event)[nth - 1]?.step).toBe(before)
        if (call)
          expect(behind(story.calls).filter(({ operation }) => operation === call)[nth - 1]?.step).toBe(
            before,
          )
      }
    }),
  )
})

test('a webhook can come twice wherever one comes, and late after the first, third and last gap', () => {
  fc.assert(
    fc.property(stories, story => {
      const places = placesOf(story, KINDS, SETTINGS)
      const of = (kind: string) => places.filter(place => place.kind === kind)
      expect(of('webhook-twice')).toHaveLength(story.webhooks.length)
      expect(of('webhook-late').map(({ attempts }) => attempts)).toEqual(
        expect.arrayContaining(story.webhooks.length > 0 ? [1, 3, 9] : []),
      )
      expect(of('webhook-order').length).toBeLessThanOrEqual(Math.max(0, story.webhooks.length - 1))
    }),
  )
})

test('after a restart the events of the previous step are sent again, one type at a time', () => {
  fc.assert(
    fc.property(stories, story => {
      const restarts = placesOf(story, ['restart'], SETTINGS)
      expect(restarts.filter(({ event }) => event === undefined)).toHaveLength(story.steps.length - 1)
      const again = restarts.flatMap(({ before, event }) =>
        event === undefined ? [] : [`${before - 1} ${event}`],
      )
      const came = story.webhooks.map(({ step, type }) => `${step} ${type}`)
      expect(again.sort()).toEqual(
        [...new Set(came)].filter(name => Number(name.split(' ')[0]) < story.steps.length - 1).sort(),
      )
    }),
  )
})

test('the payer can come back in another way wherever one comes back, and press again where nothing is declined', () => {
  fc.assert(
    fc.property(stories, story => {
      const { returns, clicks, decisions, steps, webhooks } = story
      const places = placesOf(story, KINDS, SETTINGS)
      const of = (kind: string) => places.filter(place => place.kind === kind)
      const implied = decisions.filter(({ step }) => step + 1 < steps.length)
      expect(of('return-twice')).toHaveLength(returns.length + implied.length)
      expect(of('return-prefetch').filter(({ payment }) => payment !== undefined)).toHaveLength(
        implied.length,
      )
      expect(of('return-never')).toHaveLength(returns.filter(({ isUsed }) => !isUsed).length)
      const declined = new Set(
        webhooks.filter(({ type }) => type === 'payment.failed').map(({ step }) => step),
      )
      const pressed = clicks.filter(({ step }) => !declined.has(step))
      expect(of('click-twice').map(({ before }) => before)).toEqual(pressed.map(({ step }) => step))
    }),
  )
})

test('the payer is early for the event that tells the end, unless a return comes before it or its answer is used', () => {
  const webhook = (type: string, step: number, subject = 'pi_1') => ({
    id: `evt_${type}_${step}`,
    type,
    step,
    status: 200,
    subject,
  })
  const record = (step: number, isUsed = false): StoryRecord => ({
    steps: [{}, {}, {}, {}],
    webhooks: [
      webhook('payment.succeeded', 0, 'pi_2'),
      webhook('payment.updated', 1),
      webhook('payment.succeeded', 2),
    ],
    calls: [],
    returns: [{ payment: 'pi_1', step, isUsed }],
    decisions: [],
    clicks: [],
    finalLooks: [],
    known: [],
    tookMs: 1,
  })
  const placed = (story: StoryRecord) =>
    placesOf(story, ['return-early', 'return-at-once'], SETTINGS).map(describePlace)
  expect(placed(record(3))).toEqual([
    'return-early payment.succeeded in step 3',
    'return-at-once payment.succeeded in step 3',
  ])
  expect(placed(record(2))).toEqual(['return-at-once payment.succeeded in step 3'])
  expect(placed(record(3, true))).toEqual([])
})

test('the gateway goes away at the first call of each button that makes something', () => {
  fc.assert(
    fc.property(stories, story => {
      const pressed = new Set(story.clicks.map(({ step }) => step))
      const makes = story.calls.filter(({ operation, step }) => pressed.has(step) && !/^GET /.test(operation))
      const outages = placesOf(story, ['call-outage'], SETTINGS)
      expect(outages.map(({ before }) => before)).toEqual([...new Set(makes.map(({ step }) => step))].sort())
      for (const { before, call, nth } of outages) {
        const [first] = makes.filter(({ step }) => step === before)
        expect([call, nth]).toEqual([first?.operation, undefined])
      }
    }),
  )
})

test('what a return would heal is tried first: a restart before it, and no return', () => {
  const at = (kind: (typeof KINDS)[number], before: number) => ({ kind, before })
  const places = [
    ...[at('restart', 1), at('webhook-twice', 1), at('restart', 2), at('click-again', 2)],
    ...[at('return-never', 3), at('restart', 3), at('call-503', 4)],
  ]
  for (const seed of [1, 2, 3]) {
    const [first = [], ...others] = pairsOf(places, seed)
    expect(first.map(describePlace)).toEqual(['return-never in step 4', 'restart before step 4'])
    expect(others).toHaveLength((places.length * (places.length - 1)) / 2 - 1)
  }
})

test('a payer who never returns does not return in another way', () => {
  const at = (kind: (typeof KINDS)[number], before: number) => ({ kind, before })
  const kinds = [at('return-never', 1), at('return-twice', 1), at('return-twice', 4), at('click-twice', 1)]
  const pairs = [...pairsOf(kinds, 1)].map(pair =>
    pair
      .map(({ kind }) => kind)
      .sort()
      .join(' and '),
  )
  expect(pairs.sort()).toEqual([
    'click-twice and return-never',
    'click-twice and return-twice',
    'click-twice and return-twice',
    'return-twice and return-twice',
  ])
})

test('a seed gives the same pairs, each once; another seed gives them in another order', () => {
  fc.assert(
    fc.property(stories, fc.nat(1000), (story, seed) => {
      const places = placesOf(story, KINDS, SETTINGS).slice(0, 25)
      const named = (number: number) =>
        [...pairsOf(places, number)].map(pair => pair.map(describePlace).join(' and '))
      const pairs = named(seed)
      expect(named(seed)).toEqual(pairs)
      expect(new Set(pairs).size).toBe(pairs.length)
      expect(named(seed + 1).sort()).toEqual([...pairs].sort())
    }),
  )
})

test('a disturbed story has its disturbances before their steps, and the final looks at its end', () => {
  fc.assert(
    fc.property(stories, story => {
      const places = placesOf(story, KINDS, SETTINGS)
      const look = { 'expect app': 'GET /orders/1', is: { status: 'paid' } }
      const record = { ...story, finalLooks: [{ step: look, tookMs: 1 }] }
      const data = { paysim: 1 as const, name: 'a story', steps: [...story.steps] }
      const steps = disturbedStory(data, places, record).steps as Record<string, unknown>[]
      expect(steps.filter(step => !('disturb' in step))).toEqual([...story.steps, look])
      expect(steps.at(-2)).toEqual({ disturb: 'end' })
      expect(steps).toHaveLength(story.steps.length + places.length + 2)
    }),
  )
})

test('the number of polls does not make two runs differ', () => {
  const record = (reads: number, status: number): StoryRecord => ({
    steps: [],
    webhooks: [],
    calls: [
      { operation: 'POST /payment_intents', step: 0, status, subject: '' },
      ...Array.from({ length: reads }, () => ({
        operation: 'GET /payment_intents/:id',
        step: 0,
        status: 200,
        subject: '',
      })),
    ],
    returns: [],
    decisions: [],
    clicks: [],
    finalLooks: [],
    known: [],
    tookMs: 1,
  })
  expect(differences(record(3, 201), record(5, 201))).toEqual([])
  expect(differences(record(3, 201), record(3, 422))).toEqual([
    'call POST /payment_intents → 201: once in the first run, not in the second',
    'call POST /payment_intents → 422: not in the first run, once in the second',
  ])
})

test('the expectations of the last steps are checked once, after everything else', () => {
  const steps = [
    { 'call app': 'POST /orders' },
    { 'expect app': 'GET /orders/1', is: { status: 'pending' } },
    { advance: '1m' },
    { 'expect app': 'GET /orders/1', is: { status: 'paid' } },
    { 'expect app': 'GET /stock', is: { left: 3 } },
  ] as const
  const [call, early, advance, paid, stock] = steps
  const finalLooks = [paid, stock].map(step => ({ step, tookMs: 1 }))
  const record = {
    steps,
    webhooks: [],
    calls: [],
    returns: [],
    decisions: [],
    clicks: [],
    finalLooks,
    known: [],
    payments: 1,
    tookMs: 1,
  }
  const places = [
    { kind: 'restart', before: 2 },
    { kind: 'restart', before: 4 },
  ] as const
  const data = { paysim: 1, name: 'orders', steps } as unknown as ScenarioData
  expect(disturbedStory(data, places, record).steps).toEqual([
    call,
    early,
    { disturb: 'restart' },
    advance,
    { disturb: 'restart' },
    { disturb: 'end', payments: 1 },
    paid,
    stock,
  ])
})

test('work that varies by a step belongs to the earlier step, and polls to a step of both runs', () => {
  const call = (operation: string, step: number) => ({ operation, step, status: 200, subject: '' })
  const record = (creates: readonly number[], reads: readonly number[], lists: readonly number[]) => ({
    steps: [],
    webhooks: [],
    calls: [
      ...creates.map(step => call('POST /payment_intents', step)),
      ...reads.map(step => call('GET /payment_intents/:id', step)),
      ...lists.map(step => call('GET /payout_intents', step)),
    ],
    returns: [],
    decisions: [],
    clicks: [],
    finalLooks: [],
    known: [],
    tookMs: 1,
  })
  const { calls } = common(record([0, 3, 4], [1, 1, 2], [2]), record([0, 2, 5], [1, 2, 2, 4], [1]))
  expect(calls.map(({ operation, step }) => `${operation} ${step}`)).toEqual([
    'POST /payment_intents 0',
    'POST /payment_intents 2',
    'POST /payment_intents 4',
    'GET /payment_intents/:id 1',
    'GET /payment_intents/:id 2',
    'GET /payout_intents 1',
  ])
})

const ofSuite = fc.array(
  fc.record({
    account: fc.constantFrom('default.test', 'account 1'),
    reference: fc.constantFrom('tea', 'pot', undefined),
    type: fc.constantFrom(...TYPES),
  }),
  { maxLength: 12 },
)
const suiteStory = (all: readonly { account: string; reference: string | undefined; type: string }[]) =>
  ({
    ...{ steps: [], calls: [], returns: [], decisions: [], clicks: [], finalLooks: [], known: [], tookMs: 1 },
    webhooks: all.map((one, at) => ({ ...one, id: `evt_${at}`, step: 0, status: 200, subject: '' })),
  }) satisfies StoryRecord

test('a place of a test command finds its webhook again, by account, reference and number', () => {
  fc.assert(
    fc.property(ofSuite, all => {
      const story = suiteStory(all)
      // Another account may be served first in the next run.
      const turned = story.webhooks.toSorted((a, b) => a.account.localeCompare(b.account))
      const found = placesOf(story, ['webhook-twice'], SETTINGS).map(place => {
        const armed = new ArmedDisturbances()
        armed.arm(place)
        const isMet = ({ id, type, account, reference }: (typeof story.webhooks)[number]) =>
          armed.ofEvent(id, type, { account, reference }).length > 0
        return turned.filter(isMet).map(({ id }) => id)
      })
      expect(found).toEqual(story.webhooks.map(({ id }) => [id]))
    }),
  )
})

test('an event whose answer was lost comes behind the next one, unless another record has its reference', () => {
  const event = (subject: string, reference: string, account = 'account 1') => ({
    ...{ id: `evt_${subject}`, type: 'payment.succeeded', step: 0, status: 200 },
    ...{ subject, reference, account },
  })
  const placed = (...webhooks: StoryRecord['webhooks']) =>
    placesOf({ ...suiteStory([]), webhooks }, ['webhook-lost-answer'], SETTINGS).map(describePlace)
  expect(placed(event('pi_1', 'tea'), event('pi_2', 'pot'))).toEqual([
    'webhook-lost-answer payment.succeeded for tea of account 1 behind the next one',
    'webhook-lost-answer payment.succeeded for pot of account 1',
  ])
  expect(placed(event('pi_1', 'tea'), event('pi_2', 'tea'), event('pi_3', 'pot'))[0]).toBe(
    'webhook-lost-answer payment.succeeded for tea of account 1',
  )
  const elsewhere = placed(event('pi_1', 'tea'), event('pi_2', 'tea', 'account 2'), event('pi_3', 'pot'))
  expect(elsewhere[0]).toMatch(/for tea of account 1 behind the next one$/)
})

test('a saved disturbance of a test command is read as it was found, and what cannot be one is refused', () => {
  const saved = (one: object) => placesOfSaved({ disturbances: [one] })
  const event = { event: 'payment.succeeded', account: 'account 1', reference: 'tea', nth: 2 }
  expect(saved({ disturb: 'webhook-lost-answer', ...event, behind_next: true })).toEqual([
    { kind: 'webhook-lost-answer', before: 0, ...event, behindNext: true },
  ])
  expect(saved({ disturb: 'webhook-forged', ...event, when: 'before' })).toEqual([
    { kind: 'webhook-forged', before: 0, ...event, when: 'before' },
  ])
  expect(() => saved({ disturb: 'webhook-late', ...event, attempts: 9 })).toThrow('webhook-late: the event')
  expect(() => saved({ disturb: 'restart' })).toThrow('only the steps of a scenario')
  expect(() => saved({ disturb: 'webhook-twice', nth: 0 })).toThrow('nth: 0')
})

test('references that change from run to run are named, and their records are found by number', () => {
  const runOf = (reference: string) =>
    suiteStory([
      { account: 'account 1', reference, type: 'payment.succeeded' },
      { account: 'account 1', reference: 'pot', type: 'payment.failed' },
    ])
  const [one, other] = [runOf('tea-1'), runOf('tea-2')]
  expect(differences(one, one)).toEqual([])
  expect(differences(one, other)).toEqual([
    'the merchant_reference of records, such as tea-1 in the first run, and tea-2 in the second',
  ])
  const places = placesOf(common(...withSameReferences(one, other)), ['webhook-twice'], SETTINGS)
  expect(places.map(describePlace)).toEqual([
    'webhook-twice payment.succeeded of account 1',
    'webhook-twice payment.failed for pot of account 1',
  ])
})
