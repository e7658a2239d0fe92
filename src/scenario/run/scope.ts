import { parseDuration } from '../../contract/durations.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { ReceivedAnswer } from '../../contract/wire-answer.ts'
import { ABSENT, read } from '../expect/match.ts'

/** A reference to a missing value, which is known only when the step runs. */
export class UnknownReferenceError extends Error {}

/**
 * Stored values, and the names that references can use. A branch sees what existed when it started, and adds its own.
 */
export class Scope {
  readonly #own = new Map<string, unknown>()
  readonly #answers = new Map<string, ReceivedAnswer>()

  constructor(
    private readonly times: () => { now: number; start: number },
    private readonly outer?: Scope,
  ) {}

  inner(): Scope {
    return new Scope(this.times, this)
  }

  set(name: string, value: unknown, answer?: ReceivedAnswer): void {
    this.#own.set(name, value)
    if (answer) this.#answers.set(name, answer)
  }

  get captured(): ReadonlyMap<string, unknown> {
    return this.#own
  }

  answer(name: string): ReceivedAnswer | undefined {
    return this.#answers.get(name) ?? this.outer?.answer(name)
  }

  /** A copy of a value with all references replaced. */
  resolve<T>(value: T): T {
    return this.#resolve(value) as T
  }

  #resolve(value: unknown): unknown {
    if (typeof value === 'string') return substitute(value, inner => this.#read(inner))
    if (Array.isArray(value)) return value.map(item => this.#resolve(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#resolve(inner)]))
  }

  #read(inner: string): unknown {
    const [, at, sign, distance] = INSTANT.exec(inner) ?? []
    if (at) return this.#instant(inner, at as 'now' | 'start', sign, distance)
    const name = nameOf(inner)
    const path = inner.slice(name.length + 1)
    const [special, ...more] = path.split('.')
    const answer = this.answer(name)
    if (special === '$status' && answer) return answer.status
    if (special === '$text' && answer) return answer.text
    if (special === '$headers' && answer) return found(inner, read(answer.headers, more.join('.')))
    const value = this.#lookUp(name)
    return found(inner, path === '' ? value : read(value, path))
  }

  #lookUp(name: string): unknown {
    if (this.#own.has(name)) return this.#own.get(name)
    return this.outer ? this.outer.#lookUp(name) : ABSENT
  }

  #instant(inner: string, at: 'now' | 'start', sign?: string, distance?: string): string {
    const ms = distance === undefined ? 0 : parseDuration(distance)
    if (ms === undefined)
      throw new UnknownReferenceError(`\${${inner}} is not a time: write it like now+1h30m`)
    return formatTimestamp(this.times()[at] + (sign === '-' ? -ms : ms))
  }
}

function found(inner: string, value: unknown): unknown {
  if (value === ABSENT) throw new UnknownReferenceError(`\${${inner}} does not exist`)
  return value
}

/** `${name.path}` is a part of a stored value. `$${` is a literal `${`. */
const REFERENCE = /\$?\$\{([^}]*)\}/g

/** Names that always exist. */
export const BUILT_IN = ['now', 'start', 'run', 'account'] as const

/** A time relative to now or to the start: `now`, `start+1h30m`. */
const INSTANT = /^(now|start)(?:([+-])(\S+))?$/

interface Reference {
  /** The text between the braces. */
  readonly inner: string
  readonly name: string
}

export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(REFERENCE)]
    .filter(([whole]) => !whole.startsWith('$$'))
    .map(([, inner = '']) => ({ inner: inner.trim(), name: nameOf(inner.trim()) }))
}

const nameOf = (inner: string) => INSTANT.exec(inner)?.[1] ?? inner.split('.')[0] ?? ''

/** Replaces each reference. If a reference is the whole text, the value keeps its type. */
function substitute(text: string, read: (inner: string) => unknown): unknown {
  const whole = /^\$\{([^}]*)\}$/.exec(text)
  if (whole) return read((whole[1] ?? '').trim())
  return text.replace(REFERENCE, (found, inner: string) => {
    if (found.startsWith('$$')) return found.slice(1)
    const value = read(inner.trim())
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
}
