import { formatMinor } from '../../../contract/currencies.ts'

/** Formats an amount in minor units: `123450` of THB is `1,234.50`. It works on digits, so any length is exact. */
export function moneyText(amount: string, currency: string): string {
  const [whole = '', part] = formatMinor(amount, currency).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return part === undefined ? grouped : `${grouped}.${part}`
}

export const countText = (count: number) => count.toLocaleString('en')
