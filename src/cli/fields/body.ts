import { isRecord, memberAt } from '../../contract/json.ts'
import { formatMoney } from '../output/members.ts'

/** The body of a request: fields of the API, and any others that the caller added. */
export type Body = Readonly<Record<string, unknown>>

/** The value at a path such as `customer.name`, if there is one. */
export function valueAt(body: Body, path: string): unknown {
  return memberAt(body, ...path.split('.'))
}

/** The text at a path, if it is not empty. */
export function textAt(body: Body, path: string): string | undefined {
  const value = valueAt(body, path)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function withValue(body: Body, path: string, value: unknown): Body {
  const [name = '', ...rest] = path.split('.')
  if (rest.length === 0) return { ...body, [name]: value }
  const inner = Object.hasOwn(body, name) ? body[name] : undefined
  return { ...body, [name]: withValue(isRecord(inner) ? inner : {}, rest.join('.'), value) }
}

/** The second body wins. Objects that both have are merged. */
export function merge(under: Body, over: Body): Body {
  const merged: Record<string, unknown> = { ...under }
  for (const [name, value] of Object.entries(over)) {
    const below = Object.hasOwn(under, name) ? under[name] : undefined
    merged[name] = isRecord(below) && isRecord(value) ? merge(below, value) : value
  }
  return merged
}

/** The paths of all values that are not objects. */
export function pathsOf(body: Body, before = ''): string[] {
  return Object.entries(body).flatMap(([name, value]) =>
    isRecord(value) && Object.keys(value).length > 0
      ? pathsOf(value, `${before}${name}.`)
      : [`${before}${name}`],
  )
}

/** Removes a value. An object that is empty then stays, because some are required. */
export function withoutValue(body: Body, path: string): Body {
  const [name = '', ...rest] = path.split('.')
  if (!Object.hasOwn(body, name)) return body
  const { [name]: inner, ...others } = body
  if (rest.length === 0) return others
  return isRecord(inner) ? { ...body, [name]: withoutValue(inner, rest.join('.')) } : body
}

/** The amount of a request as people write money, such as `1,234.50 THB`. */
export const moneyOf = (body: Body): string => formatMoney(valueAt(body, 'amount'), valueAt(body, 'currency'))
