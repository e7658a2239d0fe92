import { LIMITS } from '../../contract/limits.ts'
import { PAYER_FIELDS, type PayerField } from '../../contract/resources.ts'
import type { ImageProblem } from '../read-image.ts'
import { RefusalError } from '../refusal.ts'
import type { Words } from './words/language.ts'

/** Shows why a form was refused. The typed text stays in the form. */
export interface Problem {
  readonly refusal: RefusalError
  readonly fields: ReadonlyMap<string, string>
}

/** A problem of the uploaded file. */
export class ReceiptRefusalError extends RefusalError {
  constructor(readonly kind: ImageProblem['kind']) {
    super({
      code: kind === 'too_large' ? 'payload_too_large' : 'validation_failed',
      message: kind,
      status: 400,
    })
  }
}

/** The form's names for the fields of a create request. */
const NAMES: ReadonlyMap<string, PayerField> = new Map([
  ['customer.name', 'customer_name'],
  ['customer.phone', 'customer_phone'],
  ...PAYER_FIELDS.map(field => [field, field] as const),
  ...PAYER_FIELDS.map(field => [`payment_method_options.${field}`, field] as const),
])

/** The problems of the fields in a form, in words for the payer. */
export function fieldProblems({ refusal, fields }: Problem, words: Words): ReadonlyMap<PayerField, string> {
  const problems = new Map<PayerField, string>()
  for (const { field } of refusal.rejection.details ?? []) {
    const name = NAMES.get(field)
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
