import * as Type from '@sinclair/typebox'
import { lowerCased } from '../../contract/wire-answer.ts'
import { matchAnswer } from '../expect/match-answer.ts'
import { checkPicture } from '../load/step-check.ts'
import { paymentIn } from '../run/open-application.ts'
import { formOf, pictureOf } from '../run/pictures.ts'
import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { Sent } from '../run/wire.ts'
import { type AnswerExpectation, answered, id, maybe, picture, text } from '../schema/answers.ts'
import type { ControlStep } from './calls.ts'
import { demandApplication, verb, wholeValue } from './verb.ts'

const payment = id('payment, or the URL of its page')

/** The payer ends the payment on its page. */
const ends =
  (act: 'succeed' | 'fail' | 'expire') => async (running: ControlStep & { readonly value: string }) => {
    const { value, stage } = running
    const result = await visit(value, running, fields({ act }))
    const run = stage.application?.run
    if (run && !run.isDisturbed && result.mismatches.length === 0) await run.payer.decides(paymentIn(value))
    return result
  }

/** What a payer does on the hosted page or on the bank's page. */
export const PAYER = [
  verb('payer opens', {
    value: payment,
    beside: answered,
    play: running => visit(running.value, running),
  }),
  verb('payer chooses', {
    value: text('the code of the method'),
    beside: {
      payment,
      with: maybe(
        Type.Record(Type.String(), Type.String(), {
          description: 'the fields of the form: bank, customer_name, customer_phone, account_number…',
        }),
      ),
      ...answered,
    },
    moves: true,
    title: wholeValue,
    play: running =>
      visit(
        running.step.payment,
        running,
        fields({ act: 'choose', method: running.value, ...running.step.with }),
      ),
  }),
  verb('payer approves', { value: payment, beside: answered, moves: true, play: ends('succeed') }),
  verb('payer declines', { value: payment, beside: answered, moves: true, play: ends('fail') }),
  verb('payer lets expire', { value: payment, beside: answered, moves: true, play: ends('expire') }),
  verb('payer returns', {
    value: payment,
    beside: {
      headers: maybe(Type.Record(Type.String(), Type.String(), { description: 'more headers' })),
      ...answered,
    },
    moves: true,
    check: (_, check) => demandApplication('payer returns', check),
    play: ({ value, step, stage, scope }) => payerReturns(value, step, stage, scope),
  }),
  verb('payer sends receipt', {
    value: payment,
    beside: { ...picture, ...answered },
    moves: true,
    check: ({ step }, check) => checkPicture('payer sends receipt', step, ['image', 'file'], check),
    async play(running) {
      const { value, step, stage } = running
      const image = await pictureOf(step, stage)
      return visit(value, running, formOf(stage.nextBoundary(), { act: 'receipt' }, image))
    },
  }),
]

interface ReturnStep {
  readonly headers?: Readonly<Record<string, string>>
  readonly expect?: AnswerExpectation
}

/**
 * Opens the payment's return_url as a browser does. In a disturbed run, the page may rightly say something else, or never
 * be opened, so only an answer of 5xx counts, and the end of the story.
 */
export async function payerReturns(
  payment: string,
  { headers = {}, expect }: ReturnStep,
  stage: Stage,
  scope: Scope,
): Promise<StepResult> {
  const { played, simulated } = stage
  if (played.run.isDisturbed) await played.catchUp(stage)
  const id = paymentIn(payment)
  const { payer, isDisturbed } = played.run
  const { return_url: url } = await simulated.control.payments.get(id)
  const why = url === null ? 'has no return_url' : payer.whyNot(url)
  if (url === null || why !== undefined) {
    const subject = url === null ? id : 'return_url'
    const mismatch = { path: [], subject, expected: 'a way back to the application', actual: url }
    return { subject: id, mismatches: [{ ...mismatch, ...(why === undefined ? {} : { why }) }] }
  }
  const answer = await payer.returns(id, { url, headers: lowerCased(headers) })
  if (!answer) return { subject: id, mismatches: [] }
  const found = matchAnswer(answer, expect, scope, status => status >= 200 && status < 400)
  return {
    sent: { method: 'GET', url, headers },
    answer,
    subject: id,
    value: answer.body ?? answer.text,
    mismatches: isDisturbed ? [] : found,
  }
}

interface Form {
  readonly contentType: string
  readonly body: string | Buffer
}

const fields = (values: Record<string, string>): Form => ({
  contentType: 'application/x-www-form-urlencoded',
  body: new URLSearchParams(values).toString(),
})

const isAddress = (payment: string) => /^https?:/.test(payment)

/** Opens a payment's page, or submits a form on it. */
async function visit(payment: string, { step, stage, scope }: ControlStep, form?: Form): Promise<StepResult> {
  const url = await pageOf(payment, stage)
  const subject = isAddress(payment) ? undefined : payment
  if (url === undefined) {
    const why = 'has no page: its action is not a redirect'
    return { subject, mismatches: [{ path: [], subject: payment, expected: 'a page', actual: null, why }] }
  }
  const sent: Sent = form
    ? { method: 'POST', url, headers: { 'content-type': form.contentType }, body: form.body }
    : { method: 'GET', url, headers: {} }
  const answer = await stage.target.wire.send(sent)
  const mismatches = matchAnswer(answer, step.expect, scope, status => status >= 200 && status < 400)
  return { sent, answer, subject, value: answer.text, mismatches }
}

/** The URL of a payment's page. A payment that has ended keeps its page, but no longer shows the URL. */
async function pageOf(payment: string, stage: Stage): Promise<string | undefined> {
  if (isAddress(payment)) return payment
  const { wire, baseUrl } = stage.target
  const answer = await wire.send({
    method: 'GET',
    url: `${baseUrl}/payment_intents/${encodeURIComponent(payment)}`,
    headers: stage.credentials(undefined),
  })
  stage.remember(answer.body)
  return stage.pages.get(payment)
}
