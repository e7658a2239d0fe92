import { OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../contract/event-names.ts'
import {
  DELIVERY_STATUSES,
  PAYMENT_STATUSES,
  PAYOUT_STATUSES,
  RECEIPT_STATUSES,
} from '../../contract/statuses.ts'
import { nothingWrong } from '../run/step-result.ts'
import { BehaviourSchema } from '../schema/account.ts'
import { answered } from '../schema/answers.ts'
import { id } from '../schema/words.ts'
import { callControl } from './calls.ts'
import { listVerb } from './records.ts'
import { verb } from './verb.ts'

const EVENTS = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS]

/** Webhooks: how the merchant's receiver answers them, which ones arrived, and how the gateway delivered them. */
export const WEBHOOKS = [
  verb('receiver', {
    value: BehaviourSchema,
    async play({ value, stage }) {
      stage.simulated.inbox.behave(value)
      return nothingWrong
    },
  }),
  verb('redeliver', {
    value: id('webhook delivery'),
    beside: answered,
    moves: true,
    play: running => callControl(running.stage.simulated.control.redeliver(running.value), running),
  }),
  listVerb('expect webhooks', {
    items: 'webhooks',
    key: 'type',
    words: {
      '': EVENTS,
      type: EVENTS,
      signature: ['valid', 'invalid'],
      'data.status': [...PAYMENT_STATUSES, ...PAYOUT_STATUSES],
      'data.receipt.status': RECEIPT_STATUSES,
    },
    list: async stage => [...stage.simulated.inbox.received],
  }),
  listVerb('expect deliveries', {
    items: 'deliveries',
    key: 'event_type',
    words: { '': EVENTS, event_type: EVENTS, status: DELIVERY_STATUSES },
    list: async stage => stage.simulated.control.deliveries(),
  }),
]
