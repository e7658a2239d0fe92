/**
 * What many records have in common, such as a route. It is stored once, and each record has its name, which is that of
 * the thing itself, with a number if others have the same.
 */
export class RepeatedParts {
  readonly #named: Map<string, unknown>
  readonly #names = new Map<string, string>()
  /** The names of parts that were asked for lately, without writing them as JSON again. */
  readonly #known = new WeakMap<object, string>()

  constructor(parts: Readonly<Record<string, unknown>> = {}) {
    this.#named = new Map(Object.entries(parts))
    for (const [name, part] of this.#named) this.#names.set(JSON.stringify(part), name)
  }

  nameOf(part: object, title: string): string {
    let name = this.#known.get(part)
    if (name === undefined) {
      const text = JSON.stringify(part)
      name = this.#names.get(text) ?? this.#freeName(title)
      this.#known.set(part, name)
      this.#names.set(text, name)
      if (!this.#named.has(name)) this.#named.set(name, part)
    }
    return name
  }

  #freeName(title: string): string {
    let name = title
    for (let number = 2; this.#named.has(name); number++) name = `${title} (${number})`
    return name
  }

  part<T>(name: string): T {
    const part = this.#named.get(name)
    if (part === undefined) throw new Error(`${name} is missing, which a record names`)
    return part as T
  }

  get all(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#named)
  }
}
