import type { Position } from './list-index.ts'
import type { World } from './world.ts'

/** Where a stored record is in the list. Its id and its position are not part of its JSON. */
export interface StoredPosition extends Position {
  readonly id: string
}

/** What `read` needs in addition to the stored record. */
export interface ReadContext {
  readonly world: World
  readonly parts: RepeatedParts
}

/** How a kind of record is stored as JSON, and read again. */
export interface StoredForm<T, S> {
  store(record: T, parts: RepeatedParts): S
  read(stored: S, position: StoredPosition, context: ReadContext): T
}

export type Lean<T> = { readonly [M in keyof T]?: T[M] }

/** `JSON.stringify` leaves out undefined members. */
export const json = <S>(members: { readonly [M in keyof S]-?: S[M] | undefined }) => members as S

type Members = Readonly<Record<string, unknown>>

/** Whether two objects have the same members in the same order. Objects within them must be the same ones. */
function haveSameMembers(one: Members, other: Members): boolean {
  if (one === other) return true
  const names = Object.keys(one)
  const others = Object.keys(other)
  return (
    names.length === others.length &&
    names.every((name, nth) => others[nth] === name && one[name] === other[name])
  )
}

/**
 * Parts that many records have in common, such as a route. Each part is stored once, and the records contain only its
 * name. If two parts have the same title, a number makes their names different.
 */
export class RepeatedParts {
  readonly #named: Map<string, unknown>
  readonly #names = new Map<string, string>()
  /** By title, the part that was looked up last. The next one is mostly equal, and need not be written as JSON. */
  readonly #latest = new Map<string, { readonly part: object; readonly name: string }>()

  constructor(parts: Readonly<Record<string, unknown>> = {}) {
    this.#named = new Map(Object.entries(parts))
    for (const [name, part] of this.#named) this.#names.set(JSON.stringify(part), name)
  }

  nameOf(part: object, title: string): string {
    const latest = this.#latest.get(title)
    if (latest && haveSameMembers(latest.part as Members, part as Members)) return latest.name
    const text = JSON.stringify(part)
    const name = this.#names.get(text) ?? this.#freeName(title)
    this.#latest.set(title, { part, name })
    this.#names.set(text, name)
    if (!this.#named.has(name)) this.#named.set(name, part)
    return name
  }

  #freeName(title: string): string {
    let name = title
    for (let number = 2; this.#named.has(name); number++) name = `${title} (${number})`
    return name
  }

  part<T>(name: string): T {
    const part = this.#named.get(name)
    if (part === undefined) throw new Error(`A record refers to the part ${name}, which is missing`)
    return part as T
  }

  get all(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#named)
  }
}
