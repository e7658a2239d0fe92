import { expect, test } from 'vitest'
import type { DisturbanceKind } from '../../src/application/disturbance.ts'
import type { RecordedCall } from '../../src/application/gateway-proxy.ts'
import type { RecordedVisit } from '../../src/application/payer.ts'
import type { RecordedDelivery } from '../../src/application/webhook-relay.ts'
import { adviceOf } from '../../src/explore/advice.ts'
import type { Attempt } from '../../src/explore/attempt.ts'
import { narrativeOf } from '../../src/explore/narrative.ts'
import type { ScenarioResult } from '../../src/scenario/index.ts'

const delivery = (
  startedAt: number,
  sent: RecordedDelivery['sent'],
  more: Partial<RecordedDelivery> = {},
): RecordedDelivery => ({
  id: `evt_${startedAt}`,
  type: 'payment.succeeded',
  sent,
  step: 3,
  body: JSON.stringify({
    timestamp: '2030-01-01T00:00:20.000Z',
    data: { id: 'pay_1', merchant_reference: 'story-7-a' },
  }),
  startedAt,
  endedAt: startedAt + 1,
  status: 200,
  answer: '',
  ...more,
})

const call: RecordedCall = {
  operation: 'POST /payment_intents',
  method: 'POST',
  path: '/payment_intents',
  headers: [],
  body: '{"merchant_reference":"story-7-a"}',
  step: 0,
  startedAt: 1,
  status: 201,
  answer: '{"id":"pay_1","merchant_reference":"story-7-a"}',
}

/** A run in which the third step is a disturbance. */
const narrative = (
  { calls = [], deliveries = [], restarts = [], visits = [] }: Parameters<typeof report>[0],
  virtual = true,
) => narrativeOf({ run: 'story-7', result: report({ calls, deliveries, restarts, visits }, virtual) })

const report = (
  application: {
    calls?: RecordedCall[]
    deliveries?: RecordedDelivery[]
    restarts?: { startedAt: number; endedAt: number }[]
    visits?: RecordedVisit[]
  },
  virtual: boolean,
) => {
  const steps = ['call app', 'call app', 'disturb', 'advance'].map(verb => ({ verb }))
  return {
    virtual,
    steps,
    application,
  } as unknown as ScenarioResult
}

test('a narrative says who opened which page, and when', () => {
  const visit = (startedAt: number, what: RecordedVisit['what'], request: string, status: number) => ({
    ...{ what, request, step: 3, startedAt, endedAt: startedAt + 1, status },
    answer: status === 0 ? 'the connection was closed' : '',
  })
  const visits = [
    visit(0, 'click', 'POST /orders', 201),
    visit(2, 'look ahead', 'HEAD /orders/story-7-a/return', 405),
    visit(4, 'return', 'GET /orders/story-7-a/return', 0),
  ]
  expect(narrative({ calls: [call], deliveries: [delivery(3, 'event')], visits })).toEqual([
    'step 3: a person pressed POST /orders, and it answered 201',
    'step 1: it called POST /payment_intents for ${run}-a and got 201',
    'step 3: a mail client asked HEAD /orders/${run}-a/return, and it answered 405',
    'step 3, 2030-01-01T00:00:20.000Z: it was sent payment.succeeded for ${run}-a, and answered 200',
    'step 3: the payer came back with GET /orders/${run}-a/return, and it did not answer: the connection was closed',
  ])
})

test('a narrative mentions a restart at the time when it happened', () => {
  const restarts = [{ startedAt: 3, endedAt: 5 }]
  const deliveries = [delivery(2, 'event'), delivery(6, 'again')]
  expect(narrative({ calls: [call], deliveries, restarts })).toEqual([
    'step 1: it called POST /payment_intents for ${run}-a and got 201',
    'step 3, 2030-01-01T00:00:20.000Z: it was sent payment.succeeded for ${run}-a, and answered 200',
    'it was killed and started again',
    'step 3, 2030-01-01T00:00:20.000Z: it was sent payment.succeeded for ${run}-a again, and answered 200',
  ])
})

test('it says whose answer was lost, and that the same event came again', () => {
  const deliveries = [
    delivery(2, 'event', { id: 'evt_1', isAnswerLost: true }),
    delivery(3, 'event', { id: 'evt_1', body: '{"data":{"id":"pay_1"}}' }),
  ]
  expect(narrative({ calls: [call], deliveries }).slice(1)).toEqual([
    'step 3, 2030-01-01T00:00:20.000Z: it was sent payment.succeeded for ${run}-a, and answered 200, but the answer was lost',
    'step 3: it was sent payment.succeeded for ${run}-a again, and answered 200',
  ])
})

test('repeated deliveries and reads are mentioned once', () => {
  const deliveries = Array.from({ length: 9 }, (_, at) => delivery(10 + at, 'event'))
  const polls = [2, 3].map(startedAt => ({
    ...call,
    operation: 'GET /payment_intents/:id',
    path: '/payment_intents/pay_1',
    body: '',
    status: 200,
    startedAt,
  }))
  const creates = [call, { ...call, startedAt: 1.5 }]
  expect(narrative({ calls: [...creates, ...polls], deliveries })).toEqual([
    'step 1: it called POST /payment_intents for ${run}-a and got 201',
    'step 1: it called POST /payment_intents for ${run}-a and got 201',
    'step 1: it called GET /payment_intents/:id for ${run}-a and got 200',
    'step 3, 2030-01-01T00:00:20.000Z: it was sent payment.succeeded for ${run}-a, and answered 200 (9 times)',
  ])
})

test('on a real clock, it mentions no times, which differ from run to run', () => {
  expect(narrative({ deliveries: [delivery(2, 'event')] }, false)).toEqual([
    'step 3: it was sent payment.succeeded for ${run}-a, and answered 200',
  ])
})

/** A finding of one kind in a run with these calls and deliveries. */
const findingOf = (kind: DisturbanceKind, calls: RecordedCall[], deliveries: RecordedDelivery[]) => {
  const failure = { sameAs: 'status', message: 'status is "pending", not "paid"', expected: 1, actual: 2 }
  const application = { calls, deliveries, visits: [], restarts: [] }
  const result = { application, steps: [] } as unknown as ScenarioResult
  const attempt: Attempt = {
    places: [],
    outcome: 'failed',
    failure,
    isHasty: false,
    isSlow: false,
    result,
    run: '',
  }
  return { kinds: [kind], places: [], failure, alike: 1, failed: 3, of: 3, attempt }
}

test('a slow answer that only lets the event come first is told as that, in the story and in the advice', () => {
  const slow = { ...call, disturbed: 'call-slow', endedAt: 50 }
  const first = findingOf('call-slow', [slow], [delivery(10, 'event')])
  expect(narrativeOf(first.attempt).join('\n')).toContain('before its call was answered, and answered 200')
  const [advice] = adviceOf(first)
  expect(advice?.kind).toBe('webhook-early')
  expect(advice?.text).toMatch(
    /^The event came before the answer to the call that caused it\. Store the order/,
  )
  const later = findingOf('call-slow', [slow], [delivery(60, 'event')])
  expect(adviceOf(later)[0]?.text).toContain('repeat the call')
})

test('a forgery that was refused is not named as the cause', () => {
  const refused = findingOf('webhook-forged', [call], [delivery(10, 'webhook-forged', { status: 400 })])
  expect(adviceOf(refused)).toEqual([
    {
      text: expect.stringMatching(
        /^What was forged was refused, so it is not the cause\. It depends on timing/,
      ),
    },
  ])
  const taken = findingOf('webhook-forged', [call], [delivery(10, 'webhook-forged')])
  expect(adviceOf(taken)[0]?.text).toContain('Verify the signature')
})
