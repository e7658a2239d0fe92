import { isCountry } from '../../../contract/countries.ts'
import { numericCodeOf } from '../../../contract/currencies.ts'
import { type Amount, readAmount } from '../../fields/amount.ts'
import { type Body, textAt, valueAt, withValue } from '../../fields/body.ts'
import { formatMoney } from '../../output/money.ts'
import { ask } from '../ask.ts'

/** Asks for the terms that are missing. Earlier answers are suggested. Methods depend on the terms. */
export async function askTerms(given: Body, before: Body = {}): Promise<Body> {
  const amount = await askAmount(given, before)
  const currency = await unlessGiven(amount, 'currency', () => askCurrency(textAt(before, 'currency')))
  const country = await unlessGiven(currency, 'country', () =>
    askCountry(currency, textAt(before, 'country')),
  )
  return unlessGiven(country, 'checkout_mode', askMode)
}

async function unlessGiven(body: Body, field: string, asking: () => Promise<string>): Promise<Body> {
  return valueAt(body, field) === undefined ? withValue(body, field, await asking()) : body
}

async function askAmount(given: Body, before: Body): Promise<Body> {
  if (valueAt(given, 'amount') !== undefined) return given
  const currency = textAt(given, 'currency')
  const typed = await ask.text({
    message: `Amount, ${asMoney(currency ?? 'THB')}in minor units:`,
    ...suggestion(textAt(before, 'amount')),
    check: text => problemOf(text, currency),
  })
  const amount = readAmount(typed)
  const named = amount.currency === undefined ? given : withValue(given, 'currency', amount.currency)
  return withValue(named, 'amount', amount.minor)
}

/** An example with the decimals of the currency. An unknown currency has none, because amounts in it are not converted. */
const asMoney = (currency: string) =>
  numericCodeOf(currency) === undefined ? '' : `such as "${formatMoney('123450', currency)}", or `

function problemOf(text: string, currency: string | undefined): string | undefined {
  let amount: Amount
  try {
    amount = readAmount(text)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const other = amount.currency !== undefined && currency !== undefined && amount.currency !== currency
  return other ? `The currency is ${currency}.` : undefined
}

async function askCurrency(before: string | undefined): Promise<string> {
  const typed = await ask.text({
    message: 'Currency, such as THB:',
    ...suggestion(before),
    check: text =>
      /^[A-Za-z]{3,6}$/.test(text) ? undefined : 'Enter a currency code of three letters, such as THB.',
  })
  return typed.trim().toUpperCase()
}

async function askCountry(body: Body, before: string | undefined): Promise<string> {
  const typed = await ask.text({
    message: 'Country, such as TH:',
    ...suggestion(before ?? countryOf(textAt(body, 'currency') ?? '')),
    check: text =>
      isCountry(text.toUpperCase()) ? undefined : 'Enter an ISO 3166-1 country code, such as TH or VN.',
  })
  return typed.trim().toUpperCase()
}

/** The code of a currency begins with the code of its country, unless several countries use it. */
function countryOf(currency: string): string | undefined {
  const country = currency.slice(0, 2)
  return numericCodeOf(currency) !== undefined && isCountry(country) ? country : undefined
}

const askMode = () =>
  ask.select({
    message: 'Checkout:',
    choices: [
      { name: 'hosted', value: 'hosted', description: 'the payer pays on a page of the gateway' },
      {
        name: 'merchant',
        value: 'merchant',
        description: 'your application shows the payer the next action',
      },
    ],
  })

const suggestion = (value: string | undefined) => (value === undefined ? {} : { default: value })
