import { UsageError } from '../errors/usage-error.ts'
import { merge, valueAt } from './body-paths.ts'
import type { FieldFlags, TermFlags } from './field-flags.ts'
import { nearMisses } from './near-misses.ts'
import { readData } from './read-data.ts'
import type { Body } from './request-fields.ts'
import { setValue } from './set-value.ts'

export interface BuiltRequest {
  readonly body: Body
  /** What the caller should know of it, though it is no fault. */
  readonly notes: readonly string[]
}

/** The request that flags and data make together: flags, then JSON as it stands, then files, then stdin. */
export async function buildRequest(flags: FieldFlags): Promise<BuiltRequest> {
  const { body: terms, notes } = termsOf(flags)
  const data = await readData(flags.data ?? [])
  refuseOtherCurrency(flags, data)
  const merged = (flags.set ?? []).reduce(setValue, merge(data, merge(terms, membersOf(flags))))
  return {
    // Required of every request, also where nothing is known of the payer.
    body: { ...merged, customer: merged.customer ?? {} },
    notes: [...notes, ...nearMisses(merged)],
  }
}

/** Amount, currency, country and mode, as discovery takes them too. */
export function termsOf({ amount, currency, country, checkoutMode }: TermFlags): BuiltRequest {
  if (amount?.currency !== undefined && currency !== undefined && currency !== amount.currency)
    throw new UsageError(`--amount "${amount.written}" and --currency ${currency} disagree`)
  return {
    body: given({
      amount: amount?.minor,
      currency: currency ?? amount?.currency,
      country,
      checkout_mode: checkoutMode,
    }),
    notes:
      amount?.currency === undefined ? [] : [`${amount.written} is sent as ${amount.minor}, in minor units`],
  }
}

function membersOf(flags: FieldFlags): Body {
  const customer = given({ name: flags.customerName, phone: flags.customerPhone, email: flags.customerEmail })
  return given({
    payment_method: flags.paymentMethod,
    payment_method_options: flags.option,
    merchant_reference: flags.merchantReference,
    return_url: flags.returnUrl,
    customer: Object.keys(customer).length === 0 ? undefined : customer,
  })
}

const given = (members: Body): Body =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** An amount in baht over data in dong is no override: one of the two was not looked at. */
function refuseOtherCurrency({ amount, currency }: FieldFlags, data: Body): void {
  const other = valueAt(data, 'currency')
  if (amount?.currency === undefined || currency !== undefined || typeof other !== 'string') return
  if (other !== amount.currency)
    throw new UsageError(`--amount "${amount.written}" and the currency in --data, ${other}, disagree`)
}
