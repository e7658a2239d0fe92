import { formatMinor, numericCodeOf } from '../../contract/currencies.ts'
import { plain } from './members.ts'

/** '123450' THB is shown as `1,234.50 THB`. Without a valid amount, or a currency of ISO 4217, it is shown unchanged. */
export function formatMoney(amount: unknown, currency: unknown): string {
  const code = typeof currency === 'string' ? currency : ''
  if (typeof amount !== 'string' || !/^-?\d+$/.test(amount)) return `${plain(amount)} ${code}`.trim()
  if (numericCodeOf(code) === undefined) return `${grouped(amount)} minor ${code}`.trim()
  const sign = amount.startsWith('-') ? '-' : ''
  return `${sign}${grouped(formatMinor(amount.slice(sign.length), code))} ${code}`
}

function grouped(decimal: string): string {
  const [whole = '', ...fraction] = decimal.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.')
}
