/** Items in the order in which they came. Taking the first one costs the same, however many there are. */
export class Queue<T> {
  #items: T[] = []
  #next = 0

  push(item: T): void {
    this.#items.push(item)
  }

  get first(): T | undefined {
    return this.#items[this.#next]
  }

  shift(): T | undefined {
    const item = this.first
    if (this.#next < this.#items.length) this.#next++
    if (this.#next * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#next)
      this.#next = 0
    }
    return item
  }
}
