import { setTimeout as pause } from 'node:timers/promises'
import type { NewPayout } from '../../client/control-client.ts'
import { NewPayout as NewPayoutBody } from '../../contract/control/requests.ts'
import { parseDuration } from '../../contract/durations.ts'
import { CreatePaymentOptionalReference, DiscoveryQuery, PayoutListQuery } from '../../contract/requests.ts'
import { oneOf } from '../../contract/schema.ts'
import { PAYMENT_TRIGGERS, PAYOUT_STATUSES } from '../../contract/statuses.ts'
import { checkPicture } from '../load/step-check.ts'
import { formOf, pictureOf } from '../run/pictures.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import {
  answered,
  duration,
  failure,
  id,
  idempotentCall,
  is,
  maybe,
  merchantCall,
  name,
  object,
  picture,
  text,
} from '../schema/answers.ts'
import {
  type ControlStep,
  callControl,
  callMerchant,
  controlGet,
  failureIn,
  lookAt,
  merchantGet,
} from './calls.ts'
import { members, PAYMENT_WORDS, PAYOUT_WORDS, RECEIPT_WORDS, verb, wholeValue } from './verb.ts'

const boundary = maybe(
  text('the multipart boundary; a different one for each upload by default', {
    pattern: "^[A-Za-z0-9'()+_,./:=?-]{1,70}$",
  }),
)

/** Payments: calls of the merchant, actions of the provider, and expectations. */
export const PAYMENTS = [
  verb('list methods', {
    value: object('the query', DiscoveryQuery),
    beside: merchantCall,
    needs: 'any',
    title: members('amount', 'currency', 'country', 'provider'),
    play: running =>
      callMerchant({ method: 'GET', path: '/payment_methods/options', query: running.value }, running),
  }),
  verb('create payment', {
    value: object('the body', CreatePaymentOptionalReference),
    beside: idempotentCall,
    needs: 'any',
    moves: true,
    words: PAYMENT_WORDS,
    title: members('amount', 'currency', 'payment_method', 'merchant_reference'),
    play: running =>
      callMerchant({ method: 'POST', path: running.stage.target.createPath, json: running.value }, running),
  }),
  verb('get payment', {
    value: id('payment'),
    beside: merchantCall,
    needs: 'any',
    words: PAYMENT_WORDS,
    play: running =>
      callMerchant({ method: 'GET', path: pathOf(running.value), subject: running.value }, running),
  }),
  verb('cancel payment', {
    value: id('payment'),
    beside: idempotentCall,
    needs: 'any',
    moves: true,
    words: PAYMENT_WORDS,
    play: running => {
      const raw = { contentType: 'application/json', body: '' }
      const path = pathOf(running.value, '/cancel-pending')
      return callMerchant({ method: 'POST', path, raw, subject: running.value }, running)
    },
  }),
  verb('submit receipt', {
    value: id('payment'),
    beside: { ...picture, asset: maybe(id('asset')), boundary, ...idempotentCall },
    needs: 'any',
    moves: true,
    words: PAYMENT_WORDS,
    check: ({ step }, check) => checkPicture('submit receipt', step, ['image', 'file', 'asset'], check),
    async play(running) {
      const { step, value, stage } = running
      const body =
        step.asset === undefined
          ? { raw: formOf(step.boundary ?? stage.nextBoundary(), {}, await pictureOf(step, stage)) }
          : { json: { asset_id: step.asset } }
      return callMerchant(
        { method: 'POST', path: pathOf(value, '/receipt'), ...body, subject: value },
        running,
      )
    },
  }),
  verb('trigger', {
    value: oneOf(PAYMENT_TRIGGERS, 'what the provider does'),
    beside: { payment: id('payment'), ...failure, ...answered },
    moves: true,
    words: PAYMENT_WORDS,
    title: wholeValue,
    play(running) {
      const { step, value, stage } = running
      const call = stage.simulated.control.payments.trigger(step.payment, value, failureIn(step))
      return callControl(call, running, step.payment)
    },
  }),
  verb('expect payment', {
    value: id('payment'),
    beside: { is, as: maybe(name) },
    needs: 'any',
    words: PAYMENT_WORDS,
    play: ({ value, step, stage }) => lookAt(getPayment, value, step.is, stage),
  }),
  verb('expect receipt', {
    value: id('payment'),
    beside: { is, as: maybe(name) },
    needs: 'any',
    words: RECEIPT_WORDS,
    play({ value, step, stage }) {
      const expected = typeof step.is === 'string' ? { status: step.is } : step.is
      return lookAt(getPayment, value, expected, stage, 'receipt')
    },
  }),
  verb('wait for payment', {
    value: id('payment'),
    beside: { is, within: maybe(duration('how long; 72h virtual, 30s real')), as: maybe(name) },
    needs: 'any',
    words: PAYMENT_WORDS,
    play: ({ value, step, stage }) => waitFor(value, step, stage),
  }),
]

const pathOf = (payment: string, tail = '') => `/payment_intents/${encodeURIComponent(payment)}${tail}`

const getPayment = (payment: string, stage: Stage) => merchantGet(pathOf(payment), stage)

const PATIENCE: Readonly<Record<'virtual' | 'real', string>> = { virtual: '72h', real: '30s' }
const POLL_MS = 50

/**
 * Checks again whenever something happens, until the payment matches. A virtual clock moves from one timer to the next.
 */
async function waitFor(
  payment: string,
  step: { within?: string; is: unknown },
  stage: Stage,
): Promise<StepResult> {
  const limit = parseDuration(step.within ?? PATIENCE[stage.virtual ? 'virtual' : 'real']) ?? 0
  const deadline = stage.now + limit
  for (;;) {
    const seen = await lookAt(getPayment, payment, step.is, stage)
    if (seen.mismatches.length === 0 || !(await moveOn(stage, deadline))) return seen
  }
}

async function moveOn(stage: Stage, deadline: number): Promise<boolean> {
  if (!stage.virtual) {
    await pause(POLL_MS)
    return stage.now < deadline
  }
  const { next_due: next } = await stage.simulated.control.clock.get()
  if (next === null || Date.parse(next) > deadline) return false
  await stage.advance({ to: next })
  return true
}

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
