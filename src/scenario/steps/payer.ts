import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { Sent } from '../run/wire.ts'
import type { AnswerExpectation } from '../schema/answers.ts'
import { expectAnswer } from './expect-answer.ts'
import { formOf, pictureOf } from './form.ts'
import type { Handlers } from './handlers.ts'

type Manner = { readonly expect?: AnswerExpectation }
type Form = { readonly contentType: string; readonly body: string | Buffer }

/** The page of a payment, by its address or as the payment's action names it. A payment that ended keeps its page. */
async function pageOf(payment: string, stage: Stage): Promise<string | undefined> {
  if (/^https?:/.test(payment)) return payment
  const { target } = stage
  const answer = await target.wire.send({
    method: 'GET',
    url: `${target.baseUrl}/payment_intents/${encodeURIComponent(payment)}`,
    headers: stage.credentials(undefined),
  })
  stage.remember(answer.body)
  return stage.pages.get(payment)
}

async function visit(
  payment: string,
  step: Manner,
  stage: Stage,
  scope: Scope,
  form?: Form,
): Promise<StepResult> {
  const url = await pageOf(payment, stage)
  const subject = /^https?:/.test(payment) ? undefined : payment
  if (url === undefined) {
    const why = 'has no page: its action is no redirect'
    return { subject, mismatches: [{ path: [], subject: payment, expected: 'a page', actual: null, why }] }
  }
  const sent: Sent = form
    ? { method: 'POST', url, headers: { 'content-type': form.contentType }, body: form.body }
    : { method: 'GET', url, headers: {} }
  const answer = await stage.target.wire.send(sent)
  const mismatches = expectAnswer(answer, step.expect, scope, status => status >= 200 && status < 400)
  return { sent, answer, subject, value: answer.text, mismatches }
}

const fields = (values: Record<string, string>): Form => ({
  contentType: 'application/x-www-form-urlencoded',
  body: new URLSearchParams(values).toString(),
})

export const PAYER: Pick<
  Handlers,
  | 'payer opens'
  | 'payer chooses'
  | 'payer approves'
  | 'payer declines'
  | 'payer lets expire'
  | 'payer sends receipt'
> = {
  'payer opens': (step, stage, scope) => visit(step['payer opens'], step, stage, scope),
  'payer chooses': (step, stage, scope) => {
    const method = step['payer chooses']
    return visit(step.payment, step, stage, scope, fields({ act: 'choose', method, ...step.with }))
  },
  'payer approves': (step, stage, scope) =>
    visit(step['payer approves'], step, stage, scope, fields({ act: 'succeed' })),
  'payer declines': (step, stage, scope) =>
    visit(step['payer declines'], step, stage, scope, fields({ act: 'fail' })),
  'payer lets expire': (step, stage, scope) =>
    visit(step['payer lets expire'], step, stage, scope, fields({ act: 'expire' })),
  'payer sends receipt': async (step, stage, scope) => {
    const picture = await pictureOf(step, stage)
    return visit(
      step['payer sends receipt'],
      step,
      stage,
      scope,
      formOf(stage.nextBoundary(), { act: 'receipt' }, picture),
    )
  },
}
