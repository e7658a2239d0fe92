import { setTimeout as pause } from 'node:timers/promises'
import { changeBetween, type ExpectedChange, withoutMentions } from './state-change.ts'

/** The ids that an event is about. */
export interface Subject {
  readonly event: string
  readonly payment: string
  readonly reference: string
}

/** Prints the state of an application, as a whole or of one payment. */
export type PrintState = (subject: Subject) => Promise<string>

type Change = readonly string[]

/** The pause between two readings of the state, while it may still change. */
const READING_PAUSE_MS = 25
/** If nothing changes within this time, the application probably ignores the event. */
const FIRST_CHANGE_WITHIN_MS = 1000
/** A state counts as settled if so many further readings are the same. */
const EQUAL_READINGS = 2
/** The time between two readings counts only up to this, because a busy machine may stop this process for long. */
const LONGEST_COUNTED_MS = 4 * READING_PAUSE_MS

/** The time that the application has had, without most of the time in which this process was stopped. */
class TimeGiven {
  #at = performance.now()
  ms = 0

  count(): void {
    const now = performance.now()
    this.ms += Math.min(now - this.#at, LONGEST_COUNTED_MS)
    this.#at = now
  }
}

/** The state of an application, in rounds: each round is about one event, and starts with the state as it is then. */
export class ObservedState {
  readonly #subjects: Subject[] = []
  #before = ''
  /** What one ordinary event changes; undefined if that is not known yet, or differs from event to event. */
  usual: ExpectedChange | undefined
  /** How long the state took to change after an ordinary event. */
  #followsMs = 0

  constructor(
    private readonly print: PrintState,
    private readonly withinMs: number,
  ) {}

  async begin(subject: Subject): Promise<void> {
    if (this.#subjects.at(-1)?.event !== subject.event) this.#subjects.push(subject)
    this.#before = await this.print(subject)
  }

  /** What changed since the round began; `ignoring` is the id of an event that may be written down without being used. */
  async change(ignoring?: string): Promise<Change> {
    const subject = this.#subjects.at(-1)
    const after = subject ? await this.print(subject) : ''
    const [one, other] = [this.#before, after].map(text =>
      ignoring === undefined ? text : withoutMentions(text, ignoring),
    )
    return changeBetween(one ?? '', other ?? '', text => this.#named(text))
  }

  /** Replaces ids by what they identify. The ids of earlier rounds get a number. */
  #named(text: string): string {
    let named = text
    for (const [at, subject] of this.#subjects.entries())
      for (const [name, id] of Object.entries(subject))
        named = named.replaceAll(id, at === this.#subjects.length - 1 ? `<${name}>` : `<${name} ${at + 1}>`)
    return named
  }

  /** Waits until an ordinary event has changed the state, and the state stays the same. */
  async settle(): Promise<Change> {
    const startedAt = performance.now()
    const had = new TimeGiven()
    let last = await this.change()
    for (let calm = 0; calm < EQUAL_READINGS; ) {
      const withinMs = last.length > 0 ? this.withinMs : Math.min(this.withinMs, FIRST_CHANGE_WITHIN_MS)
      if (had.ms > withinMs) break
      await pause(READING_PAUSE_MS)
      had.count()
      const next = await this.change()
      const isSame = next.join() === last.join()
      if (!isSame) this.#followsMs = Math.max(this.#followsMs, performance.now() - startedAt)
      calm = isSame && next.length > 0 ? calm + 1 : 0
      last = next
    }
    return last
  }

  /** What changed, if that is not what was expected; undefined if the state is as expected, and stays so. */
  async otherThan(expected: ExpectedChange, ignoring?: string): Promise<Change | undefined> {
    const had = new TimeGiven()
    for (;;) {
      const change = await this.change(ignoring)
      if (expected.matches(change)) break
      if (had.ms > this.withinMs) return change
      await pause(READING_PAUSE_MS)
      had.count()
    }
    // The application may work after it has answered, and that may still change the state.
    await pause(2 * (READING_PAUSE_MS + this.#followsMs))
    const change = await this.change(ignoring)
    return expected.matches(change) ? undefined : change
  }
}
