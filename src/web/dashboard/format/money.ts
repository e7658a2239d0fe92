import { formatMinor } from '../../../contract/currencies.ts'

/** `123450` baht in its smallest part is `1,234.50`. Digits stay digits: no amount is too long. */
export function moneyText(amount: string, currency: string): string {
  const [whole = '', part] = formatMinor(amount, currency).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return part === undefined ? grouped : `${grouped}.${part}`
}

export const countText = (count: number) => count.toLocaleString('en')
