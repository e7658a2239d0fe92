import { UsageError } from '../errors/usage-error.ts'
import { valueAt } from './body-paths.ts'
import { type Body, REQUEST_FIELDS, type RequestField } from './request-fields.ts'

/** What no payment can be made without, wherever it goes. What the route asks for, the server knows. */
export function missingFields(
  body: Body,
  { referenceOptional }: { referenceOptional: boolean },
): RequestField[] {
  const wanted: RequestField[] = ['amount', 'currency', 'country']
  if (valueAt(body, 'checkout_mode') === 'merchant') wanted.push('payment_method')
  if (!referenceOptional) wanted.push('merchant_reference')
  return wanted.filter(field => valueAt(body, field) === undefined)
}

/** All at once: whoever mends a script should not have to run it once for each. */
export function refuseMissing(missing: readonly RequestField[]): void {
  if (missing.length === 0) return
  const flags = missing.map(field => REQUEST_FIELDS[field])
  throw new UsageError(
    `a payment needs ${listed(flags)}, by flag or in --data; on a terminal, without --no-input, what is missing is asked for`,
  )
}

export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
