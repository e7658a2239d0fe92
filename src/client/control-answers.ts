import { isRecord, kindOf } from './answer-shape.ts'
import shapes from './control-shapes.json' with { type: 'json' }

/** What an answer must look like: its kind, the members of an object, or the name of a shape, such as `#ClockState`. */
type Shape =
  | string
  | { readonly members: Readonly<Record<string, Shape>> }
  | { readonly each: Shape }
  | { readonly list: Shape }
  | { readonly orNull: Shape }
  | { readonly optional: Shape }

const NAMED: Readonly<Record<string, Shape>> = shapes.named

/**
 * The problem of an answer of the control surface, if it has one. Only members and their kinds are checked. That is
 * enough to recognise the answer of another server, and to use the answer without more checks.
 */
export function answerProblem(method: string, path: string, body: unknown): string | undefined {
  const shape = shapeOf(method, path)
  return shape === undefined ? undefined : problemIn(body, shape, '')
}

function problemIn(value: unknown, shape: Shape, at: string): string | undefined {
  if (typeof shape === 'string') {
    if (shape.startsWith('#')) return problemIn(value, NAMED[shape.slice(1)] ?? 'any', at)
    return isOfKind(value, shape) ? undefined : wrong(value, at, WORDS[shape] ?? `a ${shape}`)
  }
  if ('optional' in shape) return value === undefined ? undefined : problemIn(value, shape.optional, at)
  if ('orNull' in shape) return value === null ? undefined : problemIn(value, shape.orNull, at)
  if ('list' in shape) {
    if (!Array.isArray(value)) return wrong(value, at, 'a list')
    return first(value, (item, nth) => problemIn(item, shape.list, below(at, nth)))
  }
  if (!isRecord(value)) return wrong(value, at, 'an object')
  if ('each' in shape)
    return first(Object.entries(value), ([name, member]) => problemIn(member, shape.each, below(at, name)))
  return first(Object.entries(shape.members), ([name, member]) =>
    problemIn(value[name], member, below(at, name)),
  )
}

function first<T>(all: readonly T[], problem: (one: T, nth: number) => string | undefined) {
  for (const [nth, one] of all.entries()) {
    const found = problem(one, nth)
    if (found !== undefined) return found
  }
  return undefined
}

const WORDS: Readonly<Record<string, string>> = { nothing: 'nothing', object: 'an object', list: 'a list' }

function isOfKind(value: unknown, kind: string): boolean {
  switch (kind) {
    case 'any':
      return true
    case 'nothing':
      return value === undefined
    case 'list':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    default:
      return typeof value === kind
  }
}

const below = (at: string, name: string | number) => (at === '' ? String(name) : `${at}.${name}`)

function wrong(value: unknown, at: string, wanted: string): string {
  if (value === undefined) return at === '' ? `it is empty, not ${wanted}` : `${at} is missing`
  return `${at || 'it'} is ${kindOf(value)}, not ${wanted}`
}

/** The calls by the number of parts of their paths, so that a path is compared with few of them. */
let calls: Map<string, { readonly parts: readonly string[]; readonly shape: Shape }[]> | undefined

function shapeOf(method: string, path: string): Shape | undefined {
  if (!calls) {
    calls = new Map()
    for (const [call, shape] of Object.entries<Shape>(shapes.calls)) {
      const [verb = '', pattern = ''] = call.split(' ')
      const parts = pattern.split('/')
      const key = `${verb} ${parts.length}`
      calls.set(key, [...(calls.get(key) ?? []), { parts, shape }])
    }
  }
  const [plain = ''] = path.split('?')
  const given = plain.split('/')
  return calls
    .get(`${method} ${given.length}`)
    ?.find(({ parts }) => parts.every((part, at) => part.startsWith(':') || part === given[at]))?.shape
}
