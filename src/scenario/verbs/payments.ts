import { setTimeout as pause } from 'node:timers/promises'
import { parseDuration } from '../../contract/durations.ts'
import { CreatePaymentOptionalReference, DiscoveryQuery } from '../../contract/requests.ts'
import { oneOf } from '../../contract/schema.ts'
import { PAYMENT_TRIGGERS } from '../../contract/statuses.ts'
import { checkPicture } from '../load/step-check.ts'
import { formOf, pictureOf } from '../run/pictures.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import { answered, failure, idempotentCall, merchantCall, picture } from '../schema/answers.ts'
import { duration, id, is, maybe, name, object, text } from '../schema/words.ts'
import { callControl, callMerchant, failureIn, lookAt, merchantGet } from './calls.ts'
import { members, PAYMENT_WORDS, RECEIPT_WORDS, verb, wholeValue } from './verb.ts'

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
