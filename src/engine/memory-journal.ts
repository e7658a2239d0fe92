import type { Entry } from '../domain/events.ts'
import { HistoryIndex } from './history-index.ts'
import type { Journal } from './journal.ts'
import { writeLine } from './journal-format.ts'

/** A journal in memory, for a simulator without a data directory. */
export class MemoryJournal implements Journal {
  #entries: Entry[] = []
  #index: HistoryIndex<number> | undefined
  seed: string | undefined
  readonly keptFrom = 1

  append(entry: Entry): number {
    this.#index?.note(entry, this.#entries.length)
    this.#entries.push(entry)
    return 0
  }

  durable(): undefined {}

  async history(id: string): Promise<Entry[]> {
    if (!this.#index) {
      const index = new HistoryIndex<number>()
      this.#entries.forEach((entry, spot) => {
        index.note(entry, spot)
      })
      this.#index = index
    }
    return this.#index.of(id).flatMap(spot => this.#entries[spot] ?? [])
  }

  async *lines(): AsyncIterable<string> {
    for (const entry of this.#entries) yield writeLine(entry)
  }

  async rollBack(): Promise<void> {}

  async tryAgain(): Promise<void> {}

  async replace(entries: readonly Entry[], seed: string): Promise<void> {
    this.#entries = [...entries]
    this.seed = seed
    this.#index = undefined
  }

  async close(): Promise<void> {}
}
