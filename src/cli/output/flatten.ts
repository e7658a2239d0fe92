import { formatMinor, numericCodeOf } from '../../contract/currencies.ts'
import { joined } from './path.ts'

/** The members of a record and of the records within it, each by its path. Lists are members as they are. */
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

/** The member that says in which currency an amount is; undefined for what is no amount. */
const currencyBeside = (path: string): string | undefined =>
  /(?:^|\.)amount$/.test(path) ? `${path.slice(0, -'amount'.length)}currency` : undefined

const decimalOf = (path: string): string => `${path}_decimal`

/** The paths, and behind each amount that has its currency among them the same amount in decimals. */
export function withDecimals(paths: readonly string[]): string[] {
  return paths.flatMap(path => {
    const currency = currencyBeside(path)
    const isMoney = currency !== undefined && paths.includes(currency)
    return isMoney && !paths.includes(decimalOf(path)) ? [path, decimalOf(path)] : [path]
  })
}

/** What stands at a path, and at that of an amount in decimals: nothing where nobody knows the currency's decimals. */
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
