import { formatMinor, numericCodeOf } from '../../contract/currencies.ts'
import { plain } from './plain.ts'

/** '123450' of THB is `1,234.50 THB`. What is no amount, or no currency that ISO 4217 has an exponent for, is told as it came. */
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
