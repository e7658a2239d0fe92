import type { NewPayout } from '../../client/control-client.ts'
import { NewPayout as NewPayoutBody } from '../../contract/control/requests.ts'
import { PayoutListQuery } from '../../contract/requests.ts'
import { PAYOUT_STATUSES } from '../../contract/statuses.ts'
import type { Stage } from '../run/stage.ts'
import { answered, failure, merchantCall } from '../schema/answers.ts'
import { id, is, maybe, name, object, text } from '../schema/words.ts'
import {
  type ControlStep,
  callControl,
  callMerchant,
  controlGet,
  failureIn,
  lookAt,
  merchantGet,
} from './calls.ts'
import { members, PAYOUT_WORDS, verb } from './verb.ts'

/** The operator moves a payout. */
const triggers =
  (trigger: 'approve' | 'succeed') =>
  ({ value, ...running }: ControlStep & { readonly value: string }) =>
    callControl(running.stage.simulated.control.payouts[trigger](value), running, value)

/** Payouts: calls of the merchant, actions of the operator, and expectations. */
export const PAYOUTS = [
  verb('list payouts', {
    value: object('the query; a list repeats the parameter', PayoutListQuery),
    beside: merchantCall,
    needs: 'any',
    words: { 'data.*.status': PAYOUT_STATUSES },
    play: running => callMerchant({ method: 'GET', path: '/payout_intents', query: running.value }, running),
  }),
  verb('cancel payout', {
    value: id('payout'),
    beside: { reason: maybe(text('why', { minLength: 0 })), ...merchantCall },
    needs: 'any',
    moves: true,
    words: PAYOUT_WORDS,
    play(running) {
      const { step, value } = running
      const json = step.reason === undefined ? {} : { json: { reason: step.reason } }
      const path = `/payout_intents/${encodeURIComponent(value)}/cancel`
      return callMerchant({ method: 'POST', path, ...json, subject: value }, running)
    },
  }),
  verb('create payout', {
    value: object('the body', NewPayoutBody),
    beside: answered,
    moves: true,
    words: PAYOUT_WORDS,
    title: members('amount', 'currency', 'merchant_reference'),
    play: running =>
      // The simulator checks the body.
      callControl(
        running.stage.simulated.control.payouts.create(running.value as unknown as NewPayout),
        running,
      ),
  }),
  verb('approve payout', {
    value: id('payout'),
    beside: answered,
    moves: true,
    words: PAYOUT_WORDS,
    play: triggers('approve'),
  }),
  verb('succeed payout', {
    value: id('payout'),
    beside: answered,
    moves: true,
    words: PAYOUT_WORDS,
    play: triggers('succeed'),
  }),
  verb('fail payout', {
    value: id('payout'),
    beside: { ...failure, ...answered },
    moves: true,
    words: PAYOUT_WORDS,
    play(running) {
      const { step, value, stage } = running
      return callControl(stage.simulated.control.payouts.fail(value, failureIn(step)), running, value)
    },
  }),
  verb('expect payout', {
    value: id('payout'),
    beside: { is, as: maybe(name) },
    needs: 'any',
    words: PAYOUT_WORDS,
    play: ({ value, step, stage }) => lookAt(getPayout, value, step.is, stage),
  }),
]

const PAGE = 100

/** The merchant API cannot read a single payout, so on a real gateway this searches the pages of the list. */
async function getPayout(id: string, stage: Stage) {
  if (stage.account) return controlGet('payouts', id, stage)
  for (let cursor = ''; ; ) {
    const { sent, answer } = await merchantGet(`/payout_intents?limit=${PAGE}${cursor}`, stage)
    const page = answer.body as
      | { data?: { id: string }[]; has_more?: boolean; next_cursor?: string }
      | undefined
    const found = page?.data?.find(payout => payout.id === id)
    if (found) return { sent, answer: { ...answer, body: found } }
    if (!page?.has_more || !page.next_cursor)
      return { sent, answer: { ...answer, status: 404, body: undefined } }
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}
