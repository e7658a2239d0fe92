import { formatMoney } from '../output/money.ts'

/** A request as it goes out: what the interface knows, and whatever else the caller put in. */
export type Body = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What stands at `customer.name`; undefined where nothing does. */
export function valueAt(body: Body, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      body,
    )
}

/** Text that stands there and says something. */
export function textAt(body: Body, path: string): string | undefined {
  const value = valueAt(body, path)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function withValue(body: Body, path: string, value: unknown): Body {
  const [name = '', ...rest] = path.split('.')
  if (rest.length === 0) return { ...body, [name]: value }
  const inner = Object.hasOwn(body, name) ? body[name] : undefined
  return { ...body, [name]: withValue(isObject(inner) ? inner : {}, rest.join('.'), value) }
}

/** The second wins; where both have an object, it is decided member by member. */
export function merge(under: Body, over: Body): Body {
  const merged: Record<string, unknown> = { ...under }
  for (const [name, value] of Object.entries(over)) {
    const below = Object.hasOwn(under, name) ? under[name] : undefined
    merged[name] = isObject(below) && isObject(value) ? merge(below, value) : value
  }
  return merged
}

/** Every path to something that is not an object itself. */
export function pathsOf(body: Body, before = ''): string[] {
  return Object.entries(body).flatMap(([name, value]) =>
    isObject(value) && Object.keys(value).length > 0
      ? pathsOf(value, `${before}${name}.`)
      : [`${before}${name}`],
  )
}

/** Whole again without it: an object that is empty then stays, since some are required. */
export function withoutValue(body: Body, path: string): Body {
  const [name = '', ...rest] = path.split('.')
  if (!Object.hasOwn(body, name)) return body
  const { [name]: inner, ...others } = body
  if (rest.length === 0) return others
  return isObject(inner) ? { ...body, [name]: withoutValue(inner, rest.join('.')) } : body
}

/** What a request is about, as people write money. */
export const moneyOf = (body: Body): string => formatMoney(valueAt(body, 'amount'), valueAt(body, 'currency'))
