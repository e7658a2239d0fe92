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

/**
 * A bounded cache of what was used lately, in two generations: when the younger one is full, it becomes the older one,
 * which is forgotten. To find the oldest entry of one large Map takes 2 µs, since a Map walks over its deleted ones.
 */
export class Recent<K, V> {
  #younger = new Map<K, V>()
  #older: Map<K, V> | undefined
  #youngerBytes = 0
  #olderBytes = 0

  constructor(private readonly bounds: Bounds<V>) {}

  get bytes(): number {
    return this.#youngerBytes + this.#olderBytes
  }

  get(key: K, make: (key: K) => V): V {
    const found = this.#younger.get(key)
    if (found !== undefined) return found
    const { most, budget, sizeOf } = this.bounds
    const value = this.#older?.get(key) ?? make(key)
    if (this.#younger.size >= most / 2 || this.#youngerBytes >= budget.most / 2) this.shrink()
    const size = sizeOf(value)
    this.#younger.set(key, value)
    this.#youngerBytes += size
    budget.grow(this, size)
    return value
  }

  /** The younger generation becomes the older one. */
  shrink(): void {
    this.bounds.budget.free(this.#olderBytes)
    this.#older = this.#younger
    this.#olderBytes = this.#youngerBytes
    this.#younger = new Map()
    this.#youngerBytes = 0
  }

  clear(): void {
    const { budget } = this.bounds
    budget.free(this.bytes)
    budget.leave(this)
    this.#younger = new Map()
    this.#older = undefined
    this.#youngerBytes = 0
    this.#olderBytes = 0
  }
}
