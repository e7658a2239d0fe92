import { closest } from '../../contract/closest.ts'
import { joined, type Path, pointAt, type QueryError, type Step } from './path.ts'
import { visible } from './visible.ts'

export interface Found {
  /** What the path leads to, in order. */
  readonly values: readonly unknown[]
  /** Why there is nothing: every way ended where no such member is. */
  readonly nowhere?: QueryError
}

/**
 * Follows a path from each of the roots. Null and entries that a list does not have read as null, since they depend on
 * the data; a name that nothing there has is a mistake in the path. `mayLack`: names that are no mistake.
 */
export function select(path: Path, roots: readonly unknown[], mayLack: readonly string[] = []): Found {
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
  if (Array.isArray(value)) return 'this is a list: [] goes through all of it, [0] is its first entry'
  if (typeof value !== 'object' || value === null) return `this is ${kindOf(value)}: it has no members`
  const names = Object.keys(value)
  const meant = closest(name, names)
  const shown = names.slice(0, MOST_NAMES).map(one => visible(joined('', one)))
  const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  const hint = meant === undefined ? '' : ` (did you mean ${visible(joined('', meant))}?)`
  const there = names.length === 0 ? 'an object without members' : `there are ${shown.join(', ')}${rest}`
  return `there is no ${visible(joined('', name))} here${hint}: ${there}`
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value}`
}
