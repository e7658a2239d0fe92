import { visible } from './visible.ts'

/** The path of `--query` is none, or leads to nothing that could be there: a fault of usage, its place marked. */
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
  /** Whether it leads to any number of places: there is a `[]` in it. */
  readonly many: boolean
}

const NAME = /[^\s.[\]"'`]+/y
const EACH = /\[\]/y
const INDEX = /\[(-?\d+)\]/y
const QUOTED = /\[("(?:[^"\\]|\\.)*")\]/y

/** `id`, `data[0].id`, `data[].id`, `["a b"].c`. A dot at the start, as in jq, is welcome too. */
export function parsePath(text: string): Path {
  const steps: Step[] = []
  let at = text.startsWith('.') ? 1 : 0
  if (text === '') throw pointAt(text, 0, 'a path is expected, as in id or data[].id')
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
    throw pointAt(text, at, 'a name is expected here; one with other signs is quoted, as in ["a b"]')
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
  const wanted =
    text[at] === '['
      ? 'this bracket holds nothing, a number or a "name", and is closed'
      : 'a dot or a bracket is expected here'
  throw pointAt(text, at, wanted)
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

/** Says what is wrong, and where in the path. */
export function pointAt(text: string, at: number, wrong: string): QueryError {
  const before = visible(text.slice(0, at))
  return new QueryError(`${wrong}\n  ${visible(text)}\n  ${' '.repeat([...before].length)}^`)
}

/** A name as a path spells it after what is before it. */
export function joined(before: string, name: string): string {
  if (match(NAME, name, 0)?.[0] !== name) return `${before}[${JSON.stringify(name)}]`
  return before === '' ? name : `${before}.${name}`
}
