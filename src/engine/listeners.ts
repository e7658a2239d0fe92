/** Functions that are called when something happened. */
export class Listeners<A extends readonly unknown[]> {
  readonly #all = new Set<(...args: A) => void>()

  /** Returns a function that removes the listener. */
  readonly add = (listener: (...args: A) => void): (() => void) => {
    this.#all.add(listener)
    return () => this.#all.delete(listener)
  }

  tell(...args: A): void {
    for (const listener of this.#all) listener(...args)
  }
}
