import type { Entry } from '../domain/events.ts'
import { recordsOf } from '../domain/records-of-event.ts'

/** Which entries of a journal name which record. It is built at the first use, then updated. */
export class HistoryIndex<Spot> {
  readonly #spots = new Map<string, Spot[]>()

  note(entry: Entry, spot: Spot): void {
    for (const record of new Set(entry.events.flatMap(recordsOf))) {
      const spots = this.#spots.get(record)
      if (spots) spots.push(spot)
      else this.#spots.set(record, [spot])
    }
  }

  of(id: string): readonly Spot[] {
    return this.#spots.get(id) ?? []
  }
}
