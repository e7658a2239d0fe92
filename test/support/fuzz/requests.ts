import type { Chance } from './chance.ts'
import { damagedText, damagedValue, someValue } from './damage.ts'

/** Requests made from an OpenAPI document: most nearly right, so that they get past the first check. */

// biome-ignore lint/suspicious/noExplicitAny: a document as it came
type Json = any

export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Json[]
  readonly bodies: Readonly<Record<string, Json>>
}

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete']

export function operationsOf(document: Json): Operation[] {
  const resolve = (node: Json): Json =>
    typeof node?.$ref === 'string'
      ? resolve(
          node.$ref
            .slice(2)
            .split('/')
            .reduce((at: Json, part: string) => at?.[part], document),
        )
      : node
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter(method => item[method]).map(method => {
      const { parameters = [], requestBody } = item[method]
      const content = resolve(requestBody)?.content ?? {}
      const bodies = Object.entries<Json>(content).map(([type, { schema, example, examples }]) => {
        const shown = example ?? Object.values<Json>(examples ?? {}).map(one => resolve(one).value)[0]
        return [type, { schema: deepen(schema, resolve), example: shown }]
      })
      return {
        method: method.toUpperCase(),
        path,
        parameters: [...(item.parameters ?? []), ...parameters].map(resolve),
        bodies: Object.fromEntries(bodies),
      }
    }),
  )
}

/** The schema without references, as far down as a request goes. */
function deepen(node: Json, resolve: (node: Json) => Json, depth = 0): Json {
  const found = resolve(node)
  if (typeof found !== 'object' || found === null || depth > 12) return found
  if (Array.isArray(found)) return found.map(item => deepen(item, resolve, depth + 1))
  return Object.fromEntries(
    Object.entries(found).map(([key, inner]) => [
      key,
      key === 'examples' || key === 'example' || key === 'const' || key === 'enum'
        ? inner
        : deepen(inner, resolve, depth + 1),
    ]),
  )
}

/** A value that mostly matches the schema. */
function madeOf(chance: Chance, schema: Json, known: readonly string[], depth = 0): unknown {
  if (!schema || depth > 8 || chance.is(0.03)) return someValue(chance)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return chance.of(schema.enum)
  if (schema.examples?.length && chance.is(0.7)) return chance.of(schema.examples)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return madeOf(chance, chance.of<Json>(alternatives), known, depth + 1)
  const type = Array.isArray(schema.type) ? chance.of<string>(schema.type) : schema.type
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries<Json>(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) || chance.is(0.4))
          .map(([name, member]) => [name, madeOf(chance, member, known, depth + 1)]),
      )
    case 'array':
      return Array.from({ length: chance.below(4) }, () => madeOf(chance, schema.items, known, depth + 1))
    case 'integer':
    case 'number':
      return chance.of([schema.minimum ?? 0, schema.maximum ?? 1, 1, 7, -1])
    case 'boolean':
      return chance.is(0.5)
    case 'null':
      return null
    default:
      return textOf(chance, schema, known)
  }
}

function textOf(chance: Chance, { format, pattern }: Json, known: readonly string[]): unknown {
  if (format === 'date-time') return chance.of(['2026-01-01T00:00:00Z', '2030-02-28T23:59:59.999+07:00'])
  if (format === 'duration') return chance.of(['0s', '5s', '15m', '1h30m', '3d'])
  if (format === 'uri') return chance.of(['https://shop.example/back?a=1#b', 'http://127.0.0.1:1/hook'])
  if (pattern?.includes('1-9')) return chance.of(['1', '100', '25000', '200000000'])
  if (chance.is(0.3) && known.length > 0) return chance.of(known)
  return chance.of([
    'THB',
    'TH',
    'th_promptpay',
    'th_bank_transfer',
    'bbl',
    'order-1',
    'payment.succeeded',
    'x',
  ])
}

const NASTY_PATHS = [
  '..',
  '%2e%2e',
  '%00',
  'x'.repeat(300),
  'é',
  '%ff',
  '*',
  'default.test',
  '__proto__',
  "'",
]
const TYPES = ['application/json', 'application/json; charset=utf-8', 'text/plain', 'multipart/form-data', '']

export function requestFor(chance: Chance, operation: Operation, known: readonly string[]): FuzzRequest {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'account') return chance.is(0.95) ? '{account}' : encodeURI(chance.of(NASTY_PATHS))
    return chance.is(0.8) && known.length > 0 ? chance.of(known) : encodeURI(chance.of(NASTY_PATHS))
  })
  const query = operation.parameters
    .filter(({ in: place }) => place === 'query' && chance.is(0.4))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(plain(madeOf(chance, schema, known)))}`)
  const headers: Record<string, string> = {}
  if (chance.is(0.3)) headers['idempotency-key'] = chance.of(['a', 'b', 'c', 'x'.repeat(256), ' '])
  const [type, made] = bodyFor(chance, operation, known)
  if (type !== undefined) headers['content-type'] = chance.is(0.95) ? type : chance.of(TYPES)
  return {
    method: chance.is(0.97)
      ? operation.method
      : chance.of(['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS']),
    path: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers,
    body: made !== undefined && chance.is(0.1) ? damagedText(chance, made) : made,
  }
}

const plain = (value: unknown) =>
  String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed()

function bodyFor(
  chance: Chance,
  { bodies }: Operation,
  known: readonly string[],
): [string, string] | [undefined, undefined] {
  const types = Object.keys(bodies)
  if (types.length === 0) return chance.is(0.1) ? ['application/json', '{}'] : [undefined, undefined]
  const type = chance.of(types)
  const { schema, example } = bodies[type] ?? {}
  if (!type.includes('json')) return formFor(chance)
  const right = example !== undefined && chance.is(0.5) ? example : madeOf(chance, schema, known)
  return [type, JSON.stringify(chance.is(0.4) ? damagedValue(chance, right) : right)]
}

const PNG_START = '\u0089PNG\r\n\u001a\n'

function formFor(chance: Chance): [string, string] {
  const boundary = chance.of(['b', 'x'.repeat(70), '----7'])
  const form = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n${PNG_START}rest\r\n--${boundary}--\r\n`
  return [`multipart/form-data; boundary="${boundary}"`, chance.is(0.5) ? form : damagedText(chance, form)]
}
