import * as Type from '@sinclair/typebox'
import { idempotentCall } from '../schema/answers.ts'
import { anything, maybe, object } from '../schema/words.ts'
import { listVerb } from './list-verb.ts'
import { callMerchant } from './merchant-call.ts'
import { valueAndExpectation } from './title.ts'
import { verb } from './verb.ts'

/** The log also has the scenario's own requests to the control surface. */
const CONTROL = '/_paysim/'

/** Any request of the merchant, and the log of all requests. */
export const REQUESTS = [
  verb('request', {
    value: Type.String({
      pattern: '^[A-Z]+ /',
      description: 'a method and a path, such as `GET /payment_intents/x`',
    }),
    beside: {
      query: maybe(object('the query')),
      json: maybe(anything('the JSON body')),
      text: maybe(Type.String({ description: 'the body as text' })),
      ...idempotentCall,
    },
    needs: 'any',
    moves: true,
    title: valueAndExpectation,
    check({ step }, check) {
      if (step.json !== undefined && step.text !== undefined)
        check.add([{ field: 'text', message: 'cannot be used with json: a request has only one body' }])
    },
    play(running) {
      const { step, value } = running
      const [method = 'GET', path = '/'] = value.split(' ')
      const raw = step.text === undefined ? {} : { raw: { body: step.text } }
      const json = step.json === undefined ? {} : { json: step.json }
      return callMerchant({ method, path, query: step.query, ...raw, ...json }, running)
    },
  }),
  listVerb('expect requests', {
    items: 'requests',
    key: 'path',
    // The log has the newest first.
    list: async stage =>
      (await stage.simulated.control.requests()).reverse().filter(({ path }) => !path.startsWith(CONTROL)),
  }),
]
