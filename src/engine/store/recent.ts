interface Cache {
  readonly bytes: number
  /** Drops what was used longest ago. */
  shrink(): void
}

/** Limits the bytes of several caches together. The cache whose last growth is oldest drops entries first. */
export class CacheBudget {
  #bytes = 0
  /** In the order of their last growth. */
  readonly #caches = new Set<Cache>()
  #grown: Cache | undefined

  constructor(readonly most: number) {}

  get bytes(): number {
    return this.#bytes
  }

  grow(cache: Cache, by: number): void {
    this.#bytes += by
    if (cache !== this.#grown) {
      this.#caches.delete(cache)
      this.#caches.add(cache)
      this.#grown = cache
    }
    for (const oldest of this.#caches) {
      while (this.#bytes > this.most && oldest.bytes > 0) oldest.shrink()
      if (oldest.bytes > 0) return
      this.leave(oldest)
    }
  }

  free(by: number): void {
    this.#bytes -= by
  }

  /** For a cache that is empty. */
  leave(cache: Cache): void {
    this.#caches.delete(cache)
    if (cache === this.#grown) this.#grown = undefined
  }
}

interface Bounds<V> {
  /** How many values. */
  readonly most: number
  readonly budget: CacheBudget
  readonly sizeOf: (value: V) => number
}

interface Entry<V> {
  readonly value: V
  readonly size: number
  /** Whether it was asked for again. */
  isUsed: boolean
}

/**
 * A bounded cache of what was used lately. The oldest value leaves, but one that was used again counts as new once more.
 * One walk over the entries goes on from value to value: to find the oldest one anew takes 2 µs in a large Map, which
 * steps over all that it has deleted.
 */
export class Recent<K, V> {
  readonly #entries = new Map<K, Entry<V>>()
  /** Its next entry is the oldest. */
  #leaving = this.#entries.entries()
  #bytes = 0

  constructor(private readonly bounds: Bounds<V>) {}

  get bytes(): number {
    return this.#bytes
  }

  get(key: K, make: (key: K) => V): V {
    const found = this.#entries.get(key)
    if (found) {
      found.isUsed = true
      return found.value
    }
    const { most, budget, sizeOf } = this.bounds
    const value = make(key)
    const size = sizeOf(value)
    if (size > budget.most) return value
    // Room is made first, so that it is not this one that leaves.
    this.#bytes += size
    budget.grow(this, size)
    if (this.#entries.size >= most) this.shrink()
    this.#entries.set(key, { value, size, isUsed: false })
    return value
  }

  shrink(): void {
    for (const [key, entry] of this.#leaving) {
      this.#entries.delete(key)
      if (!entry.isUsed) {
        this.#bytes -= entry.size
        this.bounds.budget.free(entry.size)
        return
      }
      entry.isUsed = false
      this.#entries.set(key, entry)
    }
    // It was empty, and the walk over it has ended.
    this.#leaving = this.#entries.entries()
  }

  clear(): void {
    const { budget } = this.bounds
    budget.free(this.#bytes)
    budget.leave(this)
    this.#entries.clear()
    this.#bytes = 0
  }
}
