/** Counts readers. What was replaced while they read is removed when they are done. */
export class Readers {
  readonly #reading = new Set<Promise<unknown>>()

  /** Counts a reader until the returned function is called. */
  begin(): () => void {
    let end = () => {}
    const reader = new Promise<void>(resolve => {
      end = resolve
    })
    this.#reading.add(reader)
    return () => {
      this.#reading.delete(reader)
      end()
    }
  }

  /** Resolves when all current readers are done. */
  async done(): Promise<void> {
    await Promise.all(this.#reading)
  }

  /** Removes what only those readers still need. */
  async removeAfter(remove: () => Promise<void>): Promise<void> {
    await this.done()
    await remove().catch(() => {})
  }
}
