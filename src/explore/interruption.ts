import type { Patience } from '../scenario/index.ts'
import type { Attempt, Explored, Played } from './attempt.ts'
import type { PlacedDisturbance } from './kinds.ts'
import type { RunSlot } from './run-slots.ts'
import type { StoryRecord } from './story-record.ts'

/** A signal came. What was under way shows nothing, because its application is being ended. */
export class Interrupted extends Error {}

/** Plays runs until a signal comes. From then on, every run fails as interrupted. */
export class UntilInterrupted implements Explored {
  readonly #interrupted: Promise<never>

  constructor(
    private readonly explored: Explored,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#interrupted = new Promise((_, reject) => {
      const interrupt = () => reject(new Interrupted())
      if (signal?.aborted) interrupt()
      else signal?.addEventListener('abort', interrupt, { once: true })
    })
    this.#interrupted.catch(() => {})
  }

  get isInterrupted(): boolean {
    return this.signal?.aborted ?? false
  }

  get gone(): string | undefined {
    return this.explored.gone
  }

  /** The result of some work, if it ends before the signal. */
  ended<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.#interrupted, work])
  }

  plain(): Promise<Played> {
    return this.ended(this.explored.plain())
  }

  recordOf(played: Played): StoryRecord {
    return this.explored.recordOf(played)
  }

  try(
    places: readonly PlacedDisturbance[],
    story: StoryRecord,
    patience: Patience | undefined,
    slot?: RunSlot,
  ): Promise<Attempt> {
    return this.ended(this.explored.try(places, story, patience, slot))
  }

  close(): Promise<void> {
    return this.explored.close()
  }
}
