import { closest } from '../../contract/closest.ts'
import { visible } from './text.ts'

/** `--query` is not a valid path, or names a member that does not exist. The message marks the place in the path. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

export type Step =
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'index'; readonly index: number; readonly at: number }
  | { readonly kind: 'each'; readonly at: number }

export interface Path {
  readonly text: string
  readonly steps: readonly Step[]
  /** Whether it contains a `[]`, and so leads to any number of values. */
  readonly many: boolean
}

const NAME = /[^\s.[\]"'`]+/y
const EACH = /\[\]/y
const INDEX = /\[(-?\d+)\]/y
const QUOTED = /\[("(?:[^"\\]|\\.)*")\]/y

/** `id`, `data[0].id`, `data[].id`, `["a b"].c`. It may start with a dot, as in jq. */
export function parsePath(text: string): Path {
  const steps: Step[] = []
  let at = text.startsWith('.') ? 1 : 0
  if (text === '') throw pointAt(text, 0, 'expected a path, such as id or data[].id')
  let wantsName = text !== '.' && text[at] !== '['
  while (at < text.length || wantsName) {
    const [step, end] = wantsName ? nameAt(text, at) : bracketAt(text, at)
    steps.push(step)
    wantsName = text[end] === '.'
    at = wantsName ? end + 1 : end
  }
  return { text, steps, many: steps.some(({ kind }) => kind === 'each') }
}

type Read = readonly [step: Step, end: number]

function nameAt(text: string, at: number): Read {
  const name = match(NAME, text, at)?.[0]
  if (name === undefined)
    throw pointAt(text, at, 'expected a name here: write a name with other characters as ["a b"]')
  return [{ kind: 'name', name, at }, at + name.length]
}

function bracketAt(text: string, at: number): Read {
  const each = match(EACH, text, at)
  if (each) return [{ kind: 'each', at }, at + 2]
  const index = match(INDEX, text, at)
  if (index) return [{ kind: 'index', index: Number(index[1]), at }, at + index[0].length]
  const quoted = match(QUOTED, text, at)
  const name = unquote(quoted?.[1])
  if (quoted && name !== undefined) return [{ kind: 'name', name, at }, at + quoted[0].length]
  const expected =
    text[at] === '[' ? 'expected [], [number] or ["name"] here' : 'expected a dot or a bracket here'
  throw pointAt(text, at, expected)
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function unquote(literal: string | undefined): string | undefined {
  if (literal === undefined) return undefined
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}

/** An error that marks the place in the path. */
function pointAt(text: string, at: number, wrong: string): QueryError {
  const before = visible(text.slice(0, at))
  return new QueryError(`${wrong}\n  ${visible(text)}\n  ${' '.repeat([...before].length)}^`)
}

/** A path with a name added to it. */
export function joined(before: string, name: string): string {
  if (match(NAME, name, 0)?.[0] !== name) return `${before}[${JSON.stringify(name)}]`
  return before === '' ? name : `${before}.${name}`
}

export interface Selection {
  /** The values that the path leads to, in order. */
  readonly values: readonly unknown[]
  /** Why there are none: the member does not exist in any record. */
  readonly nowhere?: QueryError
}

/**
 * Follows a path from each of the roots. A step below null, or to an entry that a list does not have, leads to null, since
 * that depends on the data. A name that no record has is a mistake in the path, except for those in `mayLack`.
 */
export function select(path: Path, roots: readonly unknown[], mayLack: readonly string[] = []): Selection {
  let values = roots
  for (const step of path.steps) {
    const next = values.map(value => follow(step, value, mayLack))
    const problem = next.find(one => one.wrong !== undefined)
    if (problem?.wrong !== undefined && next.every(one => one.wrong !== undefined))
      return { values: [], nowhere: pointAt(path.text, step.at, problem.wrong) }
    values = next.flatMap(one => one.values)
  }
  return { values }
}

interface Followed {
  readonly values: readonly unknown[]
  readonly wrong?: string
}

function follow(step: Step, value: unknown, mayLack: readonly string[]): Followed {
  if (value === null || value === undefined) return { values: step.kind === 'each' ? [] : [null] }
  if (step.kind === 'each')
    return Array.isArray(value) ? { values: value } : { values: [], wrong: noList(value) }
  if (step.kind === 'index')
    return Array.isArray(value)
      ? { values: [value.at(step.index) ?? null] }
      : { values: [null], wrong: noList(value) }
  const { name } = step
  if (typeof value === 'object' && !Array.isArray(value) && Object.hasOwn(value, name))
    return { values: [(value as Record<string, unknown>)[name]] }
  if (mayLack.includes(name) && !Array.isArray(value)) return { values: [null] }
  return { values: [null], wrong: noMember(name, value) }
}

const noList = (value: unknown) => `this is ${kindOf(value)}, not a list`

const MOST_NAMES = 30

function noMember(name: string, value: unknown): string {
  if (Array.isArray(value)) return 'this is a list: use [] for all entries, or [0] for the first'
  if (typeof value !== 'object' || value === null) return `this is ${kindOf(value)}, which has no members`
  const names = Object.keys(value)
  const meant = closest(name, names)
  const shown = names.slice(0, MOST_NAMES).map(one => visible(joined('', one)))
  const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  const hint = meant === undefined ? '' : ` (did you mean ${visible(joined('', meant))}?)`
  const there = names.length === 0 ? 'it is an empty object' : `it has ${shown.join(', ')}${rest}`
  return `there is no ${visible(joined('', name))} here${hint}: ${there}`
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value}`
}

export interface Picking {
  readonly body: unknown
  /** The values where the path starts: the body, or each record of its list. */
  readonly roots: readonly unknown[]
  readonly mayLack: readonly string[] | undefined
  /** Earlier records had the member, so it is not a mistake if these do not. */
  readonly lenient?: boolean
}

/** The values to print: the roots, or what the path leads to from them. */
export function picked(
  query: Path | undefined,
  { body, roots, mayLack, lenient }: Picking,
): readonly unknown[] {
  if (!query) return roots
  const { values, nowhere } = select(query, roots, mayLack)
  if (!nowhere) return values
  if (lenient) return query.many ? [] : roots.map(() => null)
  throw new QueryError(`${startOf(query, roots, body)}${nowhere.message}`)
}

/** The call has been made, so the error names its record: a wrong query must not hide the id of a new payment. */
function startOf({ steps: [first] }: Path, roots: readonly unknown[], body: unknown): string {
  const ofRows = roots[0] !== body
  if (ofRows && first?.kind === 'name' && has(body, first.name))
    return 'the path starts at each record of the list: '
  return has(body, 'id') && typeof body.id === 'string' ? `${visible(body.id)}: ` : ''
}

function has<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}
