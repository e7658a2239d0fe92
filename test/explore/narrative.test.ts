import { expect, test } from 'vitest'
import type { RecordedCall } from '../../src/application/gateway-proxy.ts'
import type { RecordedDelivery } from '../../src/application/webhook-relay.ts'
import { narrativeOf } from '../../src/explore/narrative.ts'

const delivery = (startedAt: number, sent: RecordedDelivery['sent']): RecordedDelivery => ({
  id: 'evt_1',
  type: 'payment.succeeded',
  sent,
  step: 0,
  body: '{}',
  startedAt,
  endedAt: startedAt + 1,
  status: 200,
  answer: '',
})

const call: RecordedCall = {
  operation: 'POST /payment_intents',
  method: 'POST',
  path: '/payment_intents',
  headers: [],
  body: '',
  step: 0,
  startedAt: 1,
  status: 201,
}

test('a narrative mentions a restart at the time when it happened', () => {
  const restarts = [{ startedAt: 3, endedAt: 5 }]
  const deliveries = [delivery(2, 'event'), delivery(6, 'again')]
  expect(narrativeOf({ calls: [call], deliveries, restarts })).toEqual([
    'it called POST /payment_intents and got 201',
    'it was sent payment.succeeded, and answered 200',
    'it was killed and started again',
    'it was sent payment.succeeded again, and answered 200',
  ])
})

test('repeated deliveries and reads are mentioned once', () => {
  const deliveries = Array.from({ length: 9 }, (_, at) => delivery(10 + at, 'event'))
  const polls = [2, 3].map(startedAt => ({
    ...call,
    operation: 'GET /payment_intents/:id',
    status: 200,
    startedAt,
  }))
  const creates = [call, { ...call, startedAt: 1.5 }]
  expect(narrativeOf({ calls: [...creates, ...polls], deliveries, restarts: [] })).toEqual([
    'it called POST /payment_intents and got 201',
    'it called POST /payment_intents and got 201',
    'it called GET /payment_intents/:id and got 200',
    'it was sent payment.succeeded, and answered 200 (9 times)',
  ])
})
