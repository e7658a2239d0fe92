import { exponentOf, formatMinor } from '../../contract/currencies.ts'
import { type Html, html } from './html.ts'
import type { Words } from './words/language.ts'

interface Money {
  readonly amount: string
  readonly currency: string
}

/** Formats an amount for a language. The digits stay a string, because an amount may be too long for a number. */
export function spellMoney({ amount, currency }: Money, { locale }: Words): string {
  const plain = formatMinor(amount, currency)
  const digits = exponentOf(currency)
  const exact = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  // Intl accepts only currency codes of three letters, but a merchant may use longer ones.
  if (currency.length !== 3)
    return `${new Intl.NumberFormat(locale, exact).format(plain as `${number}`)} ${currency}`
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  return new Intl.NumberFormat(locale, { ...style, ...exact }).format(plain as `${number}`)
}

/** The amount for people, with its plain decimal number and currency as data attributes. */
export function money(sum: Money, words: Words): Html {
  const spelled = spellMoney(sum, words)
  const code = spelled.includes(sum.currency) ? '' : html` <span class="currency">${sum.currency}</span>`
  return html`<data class="money" value="${formatMinor(sum.amount, sum.currency)}">${spelled}${code}</data>`
}
