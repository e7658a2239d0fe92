import { expect, test } from 'vitest'
import { unheard, webhookCauses } from '../../src/domain/why/webhooks.ts'

const webhook = (id: string, status: string, sentence: string) => ({
  event: 'payment.succeeded',
  why: { id, status, sentence },
})
const refused = webhook(
  'dlv_1',
  'pending',
  'Attempt 1 did not succeed (ECONNREFUSED); the next one is due at 9.',
)
const taken = webhook('dlv_2', 'delivered', 'Its receiver answered attempt 1 with 200.')

test('the answer about a payment ends with what its shop has not heard', () => {
  expect(unheard([taken, refused])).toEqual([
    'The shop has not heard of payment.succeeded: attempt 1 did not succeed (ECONNREFUSED); the next one is due at 9.',
  ])
  expect(unheard([refused, taken])).toEqual([])
  expect(unheard([])).toEqual([])
})

test('each webhook is a cause that leads to its delivery', () => {
  expect(webhookCauses([taken])).toEqual([
    { what: 'its webhook payment.succeeded: its receiver answered attempt 1 with 200', id: 'dlv_2' },
  ])
})
