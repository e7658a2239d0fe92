import type { BankChoice, PaymentMethod, PaymentMethodOptions } from '../../../client/index.ts'
import { isObject, textAt, withValue } from '../../fields/body-paths.ts'
import type { Body } from '../../fields/request-fields.ts'
import { ask } from '../ask.ts'

/** What is offered, as far as it can be used: a server may say more than this version reads, and less. */
export function methodsIn({ methods }: Partial<PaymentMethodOptions>): PaymentMethod[] {
  return Array.isArray(methods) ? methods.filter(method => typeof method?.code === 'string') : []
}

export function banksOf(method: PaymentMethod | undefined): BankChoice[] {
  const banks: unknown = method?.options?.banks
  return Array.isArray(banks) ? banks.filter(bank => typeof bank?.code === 'string') : []
}

/** The names of what the payer must give, as discovery has them. */
export function requiredOf(method: PaymentMethod | undefined): string[] {
  const payer: unknown = method?.options?.payer
  if (!isObject(payer)) return []
  return Object.keys(payer).filter(name => isObject(payer[name]) && payer[name].required === true)
}

/** The method that the body names, or else one of those that are offered; in hosted mode the payer may be left to choose. */
export async function askMethod(body: Body, methods: readonly PaymentMethod[]): Promise<Body> {
  const named = textAt(body, 'payment_method')
  if (methods.some(({ code }) => code === named)) return body
  if (named !== undefined) process.stderr.write(`${named} is not among the methods for this payment.\n`)
  const code = await ask.select({ message: 'Payment method:', choices: choicesOf(body, methods) })
  if (code !== undefined) return withValue(body, 'payment_method', code)
  const { payment_method: _, ...others } = body
  return others
}

interface MethodChoice {
  readonly name: string
  readonly value: string | undefined
}

const LEFT_TO_PAYER: MethodChoice = { name: 'left to the payer, on the hosted page', value: undefined }

function choicesOf(body: Body, methods: readonly PaymentMethod[]): [MethodChoice, ...MethodChoice[]] {
  const offered = methods.map(({ code, label }) => ({ name: `${label ?? code} (${code})`, value: code }))
  const [first, ...rest] = offered
  if (textAt(body, 'checkout_mode') === 'merchant' && first) return [first, ...rest]
  return [LEFT_TO_PAYER, ...offered]
}
