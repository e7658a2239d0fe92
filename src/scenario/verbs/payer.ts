import * as Type from '@sinclair/typebox'
import { matchAnswer } from '../expect/match-answer.ts'
import { checkPicture } from '../load/step-check.ts'
import { formOf, pictureOf } from '../run/pictures.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { Sent } from '../run/wire.ts'
import { answered, picture } from '../schema/answers.ts'
import { id, maybe, text } from '../schema/words.ts'
import type { ControlStep } from './calls.ts'
import { verb, wholeValue } from './verb.ts'

const payment = id('payment, or the URL of its page')

/** The payer ends the payment on its page. */
const ends = (act: 'succeed' | 'fail' | 'expire') => (running: ControlStep & { readonly value: string }) =>
  visit(running.value, running, fields({ act }))

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
