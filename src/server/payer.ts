import { invalid, type Rejection } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import type { AccountRuntime } from '../engine/account/open-runtime.ts'
import { carryOut } from './carry-out.ts'
import { type Form, type ImageProblem, imageIn } from './read-image.ts'
import { RefusalError, refuseProblems } from './refusal.ts'

/**
 * What the payer does on the hosted page. The page's forms and the calls of the control surface are the same command, with
 * the same refusals.
 */

/** Chooses a method. `field` gives what was filled in, by the names of the form; blank is the same as left out. */
export async function choose(
  runtime: AccountRuntime,
  payment: string,
  field: (name: string) => string | undefined,
): Promise<void> {
  const given = (name: string) => field(name)?.trim() || undefined
  const filledIn = <N extends string>(names: Record<N, string>) =>
    Object.fromEntries(
      Object.entries<string>(names).flatMap(([member, name]) => {
        const value = given(name)
        return value === undefined ? [] : [[member, value]]
      }),
    ) as { [K in N]?: string }
  const method = given('method')
  const long = ['method', ...Object.values(OPTIONS), ...Object.values(CUSTOMER)].filter(
    name => [...(given(name) ?? '')].length > LIMITS.textLength,
  )
  const message = `must have at most ${LIMITS.textLength} characters`
  if (long.length > 0) throw refuseProblems(long.map(name => ({ field: name, message })))
  if (method === undefined) throw refuseProblems([{ field: 'method', message: 'is required' }])
  const command = {
    type: 'ChooseMethod',
    payment,
    method,
    options: filledIn(OPTIONS),
    customer: filledIn(CUSTOMER),
  } as const
  await carryOut(runtime, command, 'payer').catch(inWordsOfTheForm)
}

/** The form's names for the members of a create request. */
const OPTIONS = {
  account_name: 'account_name',
  account_number: 'account_number',
  bank: 'bank',
  name_th: 'name_th',
}
const CUSTOMER = { name: 'customer_name', phone: 'customer_phone' }
const FORM_NAMES: ReadonlyMap<string, string> = new Map([
  ['payment_method', 'method'],
  ...Object.entries(OPTIONS).map(([member, name]) => [`payment_method_options.${member}`, name] as const),
  ...Object.entries(CUSTOMER).map(([member, name]) => [`customer.${member}`, name] as const),
])

/** Routing names the members of a create request. The form has other names for them. */
function inWordsOfTheForm(error: unknown): never {
  if (!(error instanceof RefusalError) || error.rejection.details === undefined) throw error
  const { message, details } = error.rejection
  const renamed = (field: string) => FORM_NAMES.get(field) ?? field
  const [first] = details
  const rejection: Rejection = {
    ...error.rejection,
    message: first ? message.replace(first.field, renamed(first.field)) : message,
    details: details.map(problem => ({ ...problem, field: renamed(problem.field) })),
  }
  throw new RefusalError(rejection)
}

/** Sends the receipt in a form. */
export async function sendReceipt(runtime: AccountRuntime, payment: string, form: Form): Promise<void> {
  const received = imageIn(form)
  if ('problem' in received) throw new ReceiptRefusalError(received.problem)
  const { chunks, size, digest, contentType } = received.image
  await runtime.images.put(digest, chunks)
  const upload = { digest, contentType, size }
  await carryOut(runtime, { type: 'SubmitReceipt', payment, image: { upload } }, 'payer')
}

/** A problem of the file. The page's form says everything with 400. */
export class ReceiptRefusalError extends RefusalError {
  readonly kind: ImageProblem['kind']

  constructor({ kind, ...problem }: ImageProblem) {
    super(invalid([problem]))
    this.kind = kind
  }
}

/** The refusal of a form that cannot be read: its file is too large, or it is not one of ours. */
export function unreadable(error: unknown): RefusalError {
  if (!(error instanceof RefusalError)) throw error
  if (error.rejection.code !== 'payload_too_large') return error
  const message = `must be at most ${LIMITS.receiptImage} bytes`
  return new ReceiptRefusalError({ kind: 'too_large', field: 'file', message })
}
