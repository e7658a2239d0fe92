import { LIMITS } from '../../contract/limits.ts'
import { PAYER_FIELDS, type PayerField } from '../../contract/resources.ts'
import type { Payment } from '../../domain/model.ts'
import type { Reply } from '../http/reply.ts'
import { ReceiptRefusalError } from '../payer.ts'
import type { RefusalError } from '../refusal.ts'
import { backToShop, html, icon, type Live, sendPage } from './layout.ts'
import type { Words } from './words/language.ts'

/** Shows why a form was refused. The typed text stays in the form. */
export interface Problem {
  readonly refusal: RefusalError
  readonly fields: ReadonlyMap<string, string>
}

/** The problems of the fields in a form, in words for the payer. */
export function fieldProblems({ refusal, fields }: Problem, words: Words): ReadonlyMap<PayerField, string> {
  const problems = new Map<PayerField, string>()
  for (const { field } of refusal.rejection.details ?? []) {
    const name = PAYER_FIELDS.find(known => known === field)
    if (name) problems.set(name, fieldProblem(name, fields.get(name)?.trim() ?? '', words))
  }
  return problems
}

function fieldProblem(field: PayerField, value: string, words: Words): string {
  if (value === '') return field === 'bank' ? words.bankRequired : words.fieldRequired
  if ([...value].length > LIMITS.textLength) return words.fieldTooLong(LIMITS.textLength)
  return field === 'bank' ? words.bankUnknown : words.refusals.other
}

export function receiptProblem({ refusal }: Problem, words: Words): string | undefined {
  if (!(refusal instanceof ReceiptRefusalError)) return undefined
  const wording = {
    missing: words.receiptMissing,
    too_large: words.receiptTooLarge,
    wrong_type: words.receiptWrongType,
  }
  return wording[refusal.kind]
}

/** The message at the top of the page, for a problem that belongs to no field. */
export function generalProblem(problem: Problem, words: Words): string | undefined {
  if (receiptProblem(problem, words) !== undefined || fieldProblems(problem, words).size > 0) return undefined
  switch (problem.refusal.rejection.code) {
    case 'invalid_state':
      return problem.fields.get('act') === 'receipt' ? words.receiptThere : words.refusals.invalid_state
    case 'payment_configuration_unavailable':
    case 'routing_unavailable':
      return words.refusals.unavailable
    case 'service_unavailable':
      return words.refusals.busy
    default:
      return words.refusals.other
  }
}

const MARKS = { forged: 'link', ended: 'clock', unknown: 'search' } as const

/** Explains why a link is no longer valid. Details of the payment are shown only if the link is genuine. */
export function noticePage(
  reply: Reply,
  status: number,
  words: Words,
  path: string,
  about: keyof typeof MARKS,
  genuine?: { readonly payment: Payment; readonly live: Live },
): Reply {
  const title = words[about]
  return sendPage(reply, status, words, path, {
    look: 'notice',
    title,
    header: html``,
    main: html`<section class="card ending">
<span class="mark neutral">${icon(MARKS[about])}</span>
<h1>${title}</h1>
<p class="lead">${words[`${about}Why`]}</p>
${genuine ? backToShop(genuine.payment, words, 'primary') : ''}</section>`,
    ...(genuine ? { live: genuine.live } : {}),
  })
}
