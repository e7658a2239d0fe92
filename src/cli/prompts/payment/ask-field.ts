import { randomBytes } from 'node:crypto'
import type { BankChoice } from '../../../client/index.ts'
import type { RequestField } from '../../fields/request-fields.ts'
import { ask, type Check } from '../ask.ts'

/** The fields that are asked for one at a time, whatever was said before. */
export type SingleField = Exclude<
  RequestField,
  'amount' | 'currency' | 'country' | 'checkout_mode' | 'payment_method'
>

const MESSAGES: Readonly<Record<SingleField, string>> = {
  'payment_method_options.bank': 'Bank:',
  'payment_method_options.account_name': "Name of the payer's account:",
  'payment_method_options.account_number': "Number of the payer's account:",
  'payment_method_options.name_th': "Payer's name in Thai:",
  'customer.name': "Payer's name:",
  'customer.phone': "Payer's phone number:",
  'customer.email': "Payer's e-mail address:",
  merchant_reference: 'Your reference:',
  return_url: 'Where the page sends the payer at the end (an http or https URL; empty for nowhere):',
}

/** Only what no server can do without: how a name or a number is to look is the server's to say. */
const CHECKS: Partial<Record<SingleField, Check>> = {
  'customer.email': text => (/^[^@\s]+@[^@\s]+$/.test(text) ? undefined : 'an address with one @ is wanted'),
  return_url: text =>
    text === '' || /^https?:\/\/[^/]/.test(text) ? undefined : 'an http or https URL is wanted',
}

const notEmpty: Check = text => (text === '' ? 'it is needed' : undefined)

export const isSingleField = (field: RequestField): field is SingleField => Object.hasOwn(MESSAGES, field)

/** Empty only where nothing is an answer too. */
export async function askField(field: SingleField, banks: readonly BankChoice[]): Promise<string> {
  const [first, ...rest] = banks
  if (field === 'payment_method_options.bank' && first) return askBank([first, ...rest])
  const typed = await ask.text({
    message: MESSAGES[field],
    check: CHECKS[field] ?? notEmpty,
    ...(field === 'merchant_reference' ? { default: someReference() } : {}),
  })
  return typed.trim()
}

const askBank = ([first, ...rest]: readonly [BankChoice, ...BankChoice[]]) => {
  const choice = ({ code, label }: BankChoice) => ({ name: `${label ?? code} (${code})`, value: code })
  return ask.search({
    message: MESSAGES['payment_method_options.bank'],
    choices: [choice(first), ...rest.map(choice)],
  })
}

/** New each time, since two orders of one reference are hard to tell apart afterwards. */
const someReference = () => `order-${randomBytes(4).toString('hex')}`
