import { closest } from '../../contract/closest.ts'
import { isObject } from './body-paths.ts'
import { type Body, FIELD_NAMES, isPayerField, OPTION_NAMES, PAYER_FIELDS } from './request-fields.ts'

const TOP = [...new Set(FIELD_NAMES.map(name => name.split('.')[0] ?? name))]
const CUSTOMER = ['name', 'phone', 'email']

/**
 * Members that look like slips of the pen. They go out all the same, since a server may know more than this version;
 * but one that ignores what it does not know would not say a word.
 */
export function nearMisses(body: Body): string[] {
  const options = body.payment_method_options
  return [
    ...missesIn(body, '', TOP),
    ...(isObject(body.customer) ? missesIn(body.customer, 'customer.', CUSTOMER) : []),
    ...(isObject(options) ? missesIn(options, 'payment_method_options.', OPTION_NAMES) : []),
  ]
}

function missesIn(part: Body, before: string, known: readonly string[]): string[] {
  return Object.keys(part)
    .filter(name => !known.includes(name))
    .flatMap(name => {
      const near = closest(name, known)
      // What discovery calls a field is the likeliest slip of all.
      const meant = isPayerField(name) ? PAYER_FIELDS[name] : near && `${before}${near}`
      return meant === undefined ? [] : [`${before}${name} is sent as it is; did you mean ${meant}?`]
    })
}
