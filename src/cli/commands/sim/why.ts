import { commandOf } from '../../control/row.ts'
import { wholeWhy } from '../../output/views/why.ts'

export const why = commandOf('sim why', 'GET /accounts/:account/why/:id', {
  description:
    'Say why a payment, payout, delivery or request is as it is, what comes next, and which commands would bring it.',
  arguments: {
    '<id>': { about: 'id of the record, or the Request-Id of a recent answer', to: 'params.id' },
  },
  examples: ['paysim sim why pi_123', 'paysim sim why req_123 --query sentence'],
  show: { view: { human: wholeWhy }, inAccountTime: true },
})
