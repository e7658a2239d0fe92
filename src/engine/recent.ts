/** A bounded cache of recent results that drops the oldest first. */
export class Recent<K, V> {
  readonly #made = new Map<K, V>()

  constructor(private readonly most: number) {}

  get(key: K, make: (key: K) => V): V {
    const held = this.#made.get(key)
    if (held !== undefined) return held
    const value = make(key)
    if (this.#made.size >= this.most) {
      const oldest = this.#made.keys().next()
      if (!oldest.done) this.#made.delete(oldest.value)
    }
    this.#made.set(key, value)
    return value
  }
}
