import type { Patience } from '../scenario/index.ts'
import type { PlacedDisturbance } from './kinds.ts'
import type { StoryRecord } from './story-record.ts'

/**
 * Short time limits for an expectation that failed in the same way in an earlier run. The first failure of its kind has
 * all the time that the file allows, so an application that is only slow never fails.
 */
export class FirstTry {
  readonly #usualMs: number
  readonly #seen = new Set<string>()

  constructor({ finalLooks }: StoryRecord) {
    this.#usualMs = Math.max(20, ...finalLooks.map(({ tookMs }) => tookMs))
  }

  patienceFor(places: readonly PlacedDisturbance[]): Patience {
    return { ...this.#limitsFor(places), mayGiveUp: request => this.#isSeen(places, request) }
  }

  /** For the repetition of a failure that already had all the time that the file allows. */
  shortPatienceFor(places: readonly PlacedDisturbance[]): Patience {
    return { ...this.#limitsFor(places), mayGiveUp: () => true }
  }

  #limitsFor(places: readonly PlacedDisturbance[]) {
    // After a failed call or a start, an application may wait before it retries.
    const isPaused = places.some(
      ({ kind }) => kind.startsWith('call-') || kind === 'restart' || kind === 'webhook-early',
    )
    return { midwayMs: 100 + 2 * this.#usualMs, atEndMs: (isPaused ? 1600 : 250) + 4 * this.#usualMs }
  }

  /** Whether this is a second failure. Pairs are many, so all of them count as one kind. */
  #isSeen(places: readonly PlacedDisturbance[], request: string): boolean {
    const [kind] = places.length === 1 ? places.map(place => place.kind) : ['pair']
    const failure = `${kind} ${request.replace(/\d+/g, '#')}`
    if (this.#seen.has(failure)) return true
    this.#seen.add(failure)
    return false
  }
}
