import { formatMinor, numericCodeOf } from '../../contract/currencies.ts'
import { memberAt } from '../../contract/json.ts'
import { joined } from './query.ts'

/** Any value as text: null and undefined as an empty text, other values that are not strings as JSON. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] | undefined {
  const member = memberAt(value, ...names)
  return Array.isArray(member) ? member : undefined
}

/** The members of a record and of the records inside it, by their paths. Lists are not flattened. */
export function flatten(value: unknown): ReadonlyMap<string, unknown> {
  const flat = new Map<string, unknown>()
  gather(value, '', flat)
  return flat
}

function gather(value: unknown, path: string, flat: Map<string, unknown>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    flat.set(path, value)
    return
  }
  const members = Object.entries(value)
  if (members.length === 0) flat.set(path, null)
  for (const [name, member] of members) gather(member, joined(path, name), flat)
}

/** The path of the currency that belongs to an amount; undefined for any other path. */
const currencyBeside = (path: string): string | undefined =>
  /(?:^|\.)amount$/.test(path) ? `${path.slice(0, -'amount'.length)}currency` : undefined

const decimalOf = (path: string): string => `${path}_decimal`

/** The paths, with the amount in decimals after each amount whose currency is among them. */
export function withDecimals(paths: readonly string[]): string[] {
  return paths.flatMap(path => {
    const currency = currencyBeside(path)
    const isMoney = currency !== undefined && paths.includes(currency)
    return isMoney && !paths.includes(decimalOf(path)) ? [path, decimalOf(path)] : [path]
  })
}

/** The value at a path, or at the path of an amount in decimals: undefined if the currency is unknown. */
export function valueAt(flat: ReadonlyMap<string, unknown>, path: string): unknown {
  if (flat.has(path) || !path.endsWith('_decimal')) return flat.get(path)
  const amountPath = path.slice(0, -'_decimal'.length)
  const amount = flat.get(amountPath)
  const currency = flat.get(currencyBeside(amountPath) ?? '')
  if (typeof amount !== 'string' || typeof currency !== 'string') return undefined
  const [, sign = '', digits] = /^(-?)(\d+)$/.exec(amount) ?? []
  if (digits === undefined || numericCodeOf(currency) === undefined) return undefined
  return `${sign}${formatMinor(digits, currency)}`
}

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
